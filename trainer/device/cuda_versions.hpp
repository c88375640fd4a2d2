#pragma once

#include <string>

namespace crescendo::trainer {

/// Why CUDA finds no GPU, with the remedy. The versions are CUDA's numbers (12020 is 12.2): `driver` is the newest that
/// the driver supports, 0 where there is none; `runtime` is that of the libraries beside LibTorch.
std::string why_no_gpu(int driver, int runtime);

}  // namespace crescendo::trainer
