#pragma once

namespace crescendo::trainer {

/// Configures LibTorch's CUDA allocator through the environment, unless the user has set it. Call it before CUDA's
/// libraries are loaded, while the process has one thread.
void prepare_cuda_environment();

}  // namespace crescendo::trainer
