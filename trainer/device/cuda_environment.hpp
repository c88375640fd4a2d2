#pragma once

#include <chrono>

namespace crescendo::trainer {

/// Sets the variables of CUDA's libraries by which a group keeps the promises of docs/faults.md, where the user has not
/// set them. To be called before these libraries are loaded, while the process has one thread. NCCL forms a
/// group within `group_timeout`, or fails.
void prepare_cuda_environment(std::chrono::seconds group_timeout);

}  // namespace crescendo::trainer
