#include "trainer/device/nccl/nccl_library.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tests/trainer/device/fake_nccl/fake_nccl.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

TEST_CASE("NCCL's functions are found at run time") {
    const NcclLibrary library(fake_nccl());
    nccl::UniqueId first{};
    nccl::UniqueId second{};

    CHECK(library.get_unique_id(&first) == nccl::Result::success);
    CHECK(library.get_unique_id(&second) == nccl::Result::success);

    CHECK(std::string(first.bytes, sizeof first.bytes) != std::string(second.bytes, sizeof second.bytes));
}

TEST_CASE("the error for a missing library or one that is not NCCL names the library") {
    CHECK_THROWS_WITH_AS(NcclLibrary("libnccl-of-nobody.so"), doctest::Contains("libnccl-of-nobody.so"),
                         std::runtime_error);
    CHECK_THROWS_WITH_AS(NcclLibrary("libc.so.6"), doctest::Contains("libc.so.6 has no ncclGetUniqueId"),
                         std::runtime_error);
}

TEST_CASE("a result is described by its name in nccl.h, its meaning and NCCL's last error") {
    const NcclLibrary library(fake_nccl());

    const auto words = library.describe(nccl::Result::remote_error);

    CHECK(words.starts_with("ncclRemoteError: the fake's error\nLast error:\n"));
}
