#include "trainer/device/cuda_environment.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

using namespace crescendo::trainer;

namespace {

const char* const names[] = {"TORCH_NCCL_ASYNC_ERROR_HANDLING",
                             "TORCH_NCCL_ENABLE_MONITORING",
                             "TORCH_NCCL_DUMP_ON_TIMEOUT",
                             "TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC",
                             "TORCH_NCCL_TRACE_BUFFER_SIZE",
                             "TORCH_FR_BUFFER_SIZE",
                             "TORCH_NCCL_PROPAGATE_ERROR",
                             "TORCH_NCCL_NONBLOCKING_TIMEOUT",
                             "CUBLAS_WORKSPACE_CONFIG",
                             "PYTORCH_ALLOC_CONF",
                             "PYTORCH_CUDA_ALLOC_CONF"};

/// Begins without the variables, and ends without them.
struct NoVariables {
    NoVariables() { clear(); }
    ~NoVariables() { clear(); }
    static void clear() {
        for (const char* name : names) {
            ::unsetenv(name);
        }
    }
};

std::string value_of(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

}  // namespace

TEST_CASE("NCCL's guards neither end the process nor sleep, and a group forms in the group's time-out or fails") {
    const NoVariables none;

    prepare_cuda_environment(std::chrono::seconds(45));

    CHECK(value_of("TORCH_NCCL_ASYNC_ERROR_HANDLING") == "2");
    for (const char* off :
         {"TORCH_NCCL_ENABLE_MONITORING", "TORCH_NCCL_DUMP_ON_TIMEOUT", "TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC",
          "TORCH_NCCL_TRACE_BUFFER_SIZE", "TORCH_FR_BUFFER_SIZE", "TORCH_NCCL_PROPAGATE_ERROR"}) {
        CAPTURE(off);
        CHECK(value_of(off) == "0");
    }
    CHECK(value_of("TORCH_NCCL_NONBLOCKING_TIMEOUT") == "45");
    CHECK(value_of("PYTORCH_ALLOC_CONF") == "expandable_segments:True");
    CHECK(value_of("CUBLAS_WORKSPACE_CONFIG") == ":4096:8");
}

TEST_CASE("what the user has set stays") {
    const NoVariables none;
    ::setenv("TORCH_NCCL_TRACE_BUFFER_SIZE", "2000", 1);
    ::setenv("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:64", 1);

    prepare_cuda_environment(std::chrono::seconds(45));

    CHECK(value_of("TORCH_NCCL_TRACE_BUFFER_SIZE") == "2000");
    CHECK(value_of("PYTORCH_CUDA_ALLOC_CONF") == "max_split_size_mb:64");
    CHECK(value_of("PYTORCH_ALLOC_CONF").empty());
}
