#include "datasets/writers/computed_set.hpp"

#include <doctest/doctest.h>
#include <hdf5.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "datasets/inspection/inspect.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::datasets;
using namespace crescendo::tests;

TEST_CASE("a computed set may have no targets, and its progress counts samples") {
    const TemporaryFolder folder;
    std::int64_t last = 0;
    ComputedSet set{.num_samples = 10, .input_shape = {2, 3}};
    set.compute = [](std::int64_t i, float* inputs, float*) { std::fill_n(inputs, 6, static_cast<float>(i)); };

    write_computed_set((folder / "set.h5").string() + ":/a", set, /*num_threads=*/2,
                       {.chunk_samples = 1, .progress = [&](std::int64_t done, std::int64_t total) {
                            CHECK((done > last && done <= total && total == 10));
                            last = done;
                        }});

    CHECK(last == 10);
    const auto found = inspect(folder / "set.h5");
    REQUIRE(found.size() == 1);
    CHECK(found[0].path == "/a/inputs");
}

TEST_CASE("an error while a sample is computed leaves no file") {
    const TemporaryFolder folder;
    ComputedSet set{.num_samples = 10, .input_shape = {1}};
    set.compute = [](std::int64_t i, float*, float*) {
        if (i == 7) {
            throw std::runtime_error("seven");
        }
    };

    CHECK_THROWS_WITH(write_computed_set((folder / "set.h5").string() + ":/", set, 2, {}), "seven");
    CHECK(std::filesystem::is_empty(folder / "."));
}

namespace {

/// Where in the file each chunk of /a/inputs begins.
std::vector<haddr_t> chunk_addresses(const std::filesystem::path& file) {
    const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t data_set = H5Dopen2(id, "/a/inputs", H5P_DEFAULT);
    hsize_t count = 0;
    const hid_t space = H5Dget_space(data_set);
    REQUIRE(H5Dget_num_chunks(data_set, space, &count) >= 0);
    std::vector<haddr_t> addresses(count);
    for (hsize_t i = 0; i < count; ++i) {
        H5Dget_chunk_info(data_set, space, i, nullptr, nullptr, &addresses[i], nullptr);
    }
    H5Sclose(space);
    H5Dclose(data_set);
    H5Fclose(id);
    return addresses;
}

}  // namespace

TEST_CASE("chunks are aligned to pages or as requested, without much extra space") {
    ComputedSet set{.num_samples = 300, .input_shape = {1000}};  // 4,000 bytes each
    set.compute = [](std::int64_t i, float* inputs, float*) { std::fill_n(inputs, 1000, static_cast<float>(i)); };
    struct Case {
        WriteOptions options;
        haddr_t alignment;
        std::size_t num_chunks;
        double most_bytes;
    };
    for (const auto& [options, alignment, num_chunks, most_bytes] :
         {Case{{.chunk_samples = 5}, 4096, 60, 60 * 20480},
          Case{{.chunk_samples = 1, .alignment = 1}, 1, 300, 300 * 4000},
          Case{{.alignment = 1 << 20}, 1 << 20, 2, 3 << 20},
          Case{{.alignment = 128 << 10}, 128 << 10, 5, 5 * (256 << 10) + (128 << 10)}}) {
        const TemporaryFolder folder;
        const auto file = folder / "set.h5";
        for (const char* group : {":/other", ":/a"}) {  // in a new file, and in one that exists
            write_computed_set(file.string() + group, set, 2, options);
        }

        const auto addresses = chunk_addresses(file);

        CHECK(addresses.size() == num_chunks);
        for (const auto address : addresses) {
            CHECK(address % alignment == 0);
        }
        CHECK(static_cast<double>(std::filesystem::file_size(file)) <= 2 * most_bytes + 40000);
    }
}
