#include "trainer/device/cuda_environment.hpp"

#include <cstdlib>
#include <string>
#include <utility>

namespace crescendo::trainer {

void prepare_cuda_environment(std::chrono::seconds group_timeout) {
    const std::pair<const char*, std::string> variables[] = {
        // A lost peer costs the group, not the process: LibTorch's guard threads may abort communicators and no more.
        {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "2"},
        {"TORCH_NCCL_ENABLE_MONITORING", "0"},
        // Before they abort, they would sleep for a minute, and the monitor for eight, so that a dump of the
        // collectives can be written; and a group's end waits for them.
        {"TORCH_NCCL_DUMP_ON_TIMEOUT", "0"},
        {"TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC", "0"},
        {"TORCH_NCCL_TRACE_BUFFER_SIZE", "0"},
        {"TORCH_FR_BUFFER_SIZE", "0"},  // the same in newer versions
        {"TORCH_NCCL_PROPAGATE_ERROR", "0"},
        {"TORCH_NCCL_NONBLOCKING_TIMEOUT", std::to_string(group_timeout.count())},  // else half an hour
        // Without a workspace of fixed size, cuBLAS may add in another order each time, and a deterministic trial is
        // refused. It is LibTorch's own size on recent GPUs.
        {"CUBLAS_WORKSPACE_CONFIG", ":4096:8"},
    };
    for (const auto& [name, value] : variables) {
        ::setenv(name, value.c_str(), /*overwrite=*/0);
    }
    // One process trains models of hundreds of shapes, whose blocks would not fit into each other's gaps. The setting
    // has an older name, which a user may have set.
    if (std::getenv("PYTORCH_CUDA_ALLOC_CONF") == nullptr) {
        ::setenv("PYTORCH_ALLOC_CONF", "expandable_segments:True", /*overwrite=*/0);
    }
}

}  // namespace crescendo::trainer
