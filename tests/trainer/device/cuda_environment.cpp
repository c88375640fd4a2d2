#include "trainer/device/cuda_environment.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

using namespace crescendo::trainer;

namespace {

/// Unsets the variables at the beginning and at the end.
struct NoVariables {
    NoVariables() { clear(); }
    ~NoVariables() { clear(); }
    static void clear() {
        for (const char* name : {"CUBLAS_WORKSPACE_CONFIG", "PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"}) {
            ::unsetenv(name);
        }
    }
};

std::string value_of(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

}  // namespace

TEST_CASE("CUDA uses expandable memory segments and a fixed cuBLAS workspace by default") {
    const NoVariables none;

    prepare_cuda_environment();

    CHECK(value_of("PYTORCH_ALLOC_CONF") == "expandable_segments:True");
    CHECK(value_of("CUBLAS_WORKSPACE_CONFIG") == ":4096:8");
}

TEST_CASE("a variable set by the user is kept under either name") {
    const NoVariables none;
    ::setenv("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:64", 1);
    prepare_cuda_environment();
    CHECK(value_of("PYTORCH_CUDA_ALLOC_CONF") == "max_split_size_mb:64");
    CHECK(value_of("PYTORCH_ALLOC_CONF").empty());

    ::setenv("PYTORCH_ALLOC_CONF", "max_split_size_mb:32", 1);
    ::unsetenv("PYTORCH_CUDA_ALLOC_CONF");
    prepare_cuda_environment();
    CHECK(value_of("PYTORCH_ALLOC_CONF") == "max_split_size_mb:32");
}
