#include "datasets/writers/generate.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "datasets/samples/sample_set.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

TEST_CASE("a sparse terabyte takes almost no disk space and reads as zeros to its end") {
    const TemporaryFolder folder;
    const auto file = folder / "tera.h5";
    const auto location = file.string() + ":/a/train";
    const std::int64_t num_samples = std::int64_t{1} << 26;  // of 64 x 64 float32

    generate_sparse(location, num_samples, {64, 64});

    struct stat status {};
    REQUIRE(::stat(file.c_str(), &status) == 0);
    CHECK(status.st_size > std::int64_t{1} << 40);
    CHECK(status.st_blocks * 512 < 1 << 20);
    const auto set = SampleSet::open(location);
    CHECK(set->size() == num_samples);
    CHECK(set->inputs()[0].shape == std::vector<std::int64_t>{64, 64});
    CHECK(set->inputs()[0].route == Route::pread);
    std::vector<std::byte> input(64 * 64 * 4, std::byte{1});
    std::vector<std::byte> target(4, std::byte{1});
    set->read(num_samples - 1, 1, input, target);
    CHECK(input == std::vector<std::byte>(64 * 64 * 4));
    CHECK(target == std::vector<std::byte>(4));
}

TEST_CASE("a sparse set is added to a file in the format with metadata checksums") {
    const TemporaryFolder folder;
    const auto file = (folder / "set.h5").string();

    generate_sparse(file + ":/a", 2, {3});
    generate_sparse(file + ":/b", 4, {3});

    CHECK(SampleSet::open(file + ":/a")->size() == 2);
    CHECK(SampleSet::open(file + ":/b")->size() == 4);
    CHECK(read_bytes(file)[8] == std::byte{3});  // the version of the superblock
}

TEST_CASE("impossible options for a sparse set are refused and leave no file") {
    const TemporaryFolder folder;
    const auto location = (folder / "set.h5").string() + ":/";
    const auto complaint = [&](std::int64_t num_samples, const std::vector<std::int64_t>& shape) {
        return complaint_of([&] { generate_sparse(location, num_samples, shape); });
    };

    CHECK(complaint(0, {2}) == Contains("0 samples"));
    CHECK(complaint(2, {3, -1}) == Contains("-1 samples or elements"));
    CHECK(complaint(std::int64_t{1} << 40, {1 << 20}) == Contains("more than 2^60 bytes"));
    CHECK(std::filesystem::is_empty(folder / "."));

    generate_sparse(location, 2, {});
    CHECK(complaint(2, {}) == Contains("already exists"));
}
