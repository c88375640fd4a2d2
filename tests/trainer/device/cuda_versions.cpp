#include "trainer/device/cuda_versions.hpp"

#include <doctest/doctest.h>

using namespace crescendo::trainer;

TEST_CASE("the message about an outdated driver gives both versions") {
    const auto message = why_no_gpu(/*driver=*/12020, /*runtime=*/13000);

    CHECK(message.find("the driver supports CUDA up to 12.2, but this LibTorch is for CUDA 13.0") != message.npos);
    CHECK(message.find("torch wheel for CUDA 12") != message.npos);
}

TEST_CASE("a missing driver is named, and a sufficiently new one is not blamed") {
    CHECK(why_no_gpu(/*driver=*/0, 13000).find("there is no NVIDIA driver") != std::string::npos);
    CHECK(why_no_gpu(13000, 13000).find("driver") == std::string::npos);
    CHECK(why_no_gpu(12020, 12080).find("driver") == std::string::npos);  // only a minor version apart
    CHECK(why_no_gpu(13000, 12080).find("CUDA_VISIBLE_DEVICES") != std::string::npos);
}
