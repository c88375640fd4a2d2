#include "trainer/device/cuda_environment.hpp"

#include <cstdlib>

namespace crescendo::trainer {

void prepare_cuda_environment() {
    // Without a workspace of fixed size, cuBLAS may add in a different order each time, and LibTorch refuses
    // deterministic trials. This size is LibTorch's own on recent GPUs.
    ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);
    // One process trains models with hundreds of shapes, so fixed segments would fragment. A user may have set the
    // variable under its older name.
    if (std::getenv("PYTORCH_CUDA_ALLOC_CONF") == nullptr) {
        ::setenv("PYTORCH_ALLOC_CONF", "expandable_segments:True", /*overwrite=*/0);
    }
}

}  // namespace crescendo::trainer
