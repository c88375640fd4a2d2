#include "trainer/device/cuda_environment.hpp"

#include <cstdlib>

namespace crescendo::trainer {

void prepare_cuda_environment() {
    // Without a workspace of fixed size, cuBLAS may add in another order each time, and a deterministic trial is
    // refused. It is LibTorch's own size on recent GPUs.
    ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);
    // One process trains models of hundreds of shapes, whose blocks would not fit into each other's gaps. The setting
    // has an older name, which a user may have set.
    if (std::getenv("PYTORCH_CUDA_ALLOC_CONF") == nullptr) {
        ::setenv("PYTORCH_ALLOC_CONF", "expandable_segments:True", /*overwrite=*/0);
    }
}

}  // namespace crescendo::trainer
