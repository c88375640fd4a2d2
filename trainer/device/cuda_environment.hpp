#pragma once

namespace crescendo::trainer {

/// Sets how CUDA's allocator of LibTorch shares out memory, where the user has not said it. To be called before CUDA's
/// libraries are loaded, while the process has one thread.
void prepare_cuda_environment();

}  // namespace crescendo::trainer
