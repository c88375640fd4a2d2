#pragma once

#include <string>

namespace crescendo::trainer {

/// Explains why CUDA finds no GPU, with the remedy. Versions are CUDA's numbers (12020 is 12.2): `driver` is the newest
/// version that the driver supports, 0 if there is no driver; `runtime` is the version of the libraries beside
/// LibTorch.
std::string why_no_gpu(int driver, int runtime);

}  // namespace crescendo::trainer
