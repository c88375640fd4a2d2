#include "datasets/hdf5/finding_driver.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <filesystem>

#include "datasets/hdf5/hdf5.hpp"
#include "datasets/readers/file_bytes.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using crescendo::tests::TemporaryFolder;

namespace {

using Numbers = std::array<std::int32_t, 4>;

/// 16 numbers in chunks of 4.
void write_numbers(const std::filesystem::path& file) {
    const auto handle = hdf5::own(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "no file");
    const hsize_t length = 16;
    const hsize_t chunk = 4;
    const auto space = hdf5::own(H5Screate_simple(1, &length, nullptr), "no space");
    const auto settings = hdf5::own(H5Pcreate(H5P_DATASET_CREATE), "no settings");
    hdf5::check(H5Pset_chunk(settings.get(), 1, &chunk), "no chunks");
    const auto set = hdf5::own(
        H5Dcreate2(handle.get(), "/numbers", H5T_NATIVE_INT32, space.get(), H5P_DEFAULT, settings.get(), H5P_DEFAULT),
        "no data set");
    std::array<std::int32_t, 16> numbers{};
    for (int i = 0; i < 16; ++i) {
        numbers.at(static_cast<std::size_t>(i)) = i;
    }
    hdf5::check(H5Dwrite(set.get(), H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), "not written");
}

Numbers read_chunk(hid_t set, hsize_t first) {
    Numbers numbers{-1, -1, -1, -1};
    std::uint32_t mask = 0;
    hdf5::check(H5Dread_chunk(set, H5P_DEFAULT, &first, &mask, numbers.data()), "no chunk");
    return numbers;
}

}  // namespace

TEST_CASE("a finder locates a chunk instead of reading it in files opened for finding") {
    const TemporaryFolder folder;
    const hdf5::Session session;
    write_numbers(folder / "set.h5");
    for (const auto access : {hdf5::Access::find, hdf5::Access::read}) {
        const auto file = hdf5::open_file(folder / "set.h5", access);
        const auto set = hdf5::open_data_set(file.get(), "/numbers", "set.h5");
        const bool finds = access == hdf5::Access::find;
        CHECK(hdf5::Finder::serves(file.get()) == finds);
        {
            const hdf5::Finder finder;
            CHECK_FALSE(finder.piece());
            CHECK(read_chunk(set.get(), 8) == (finds ? Numbers{-1, -1, -1, -1} : Numbers{8, 9, 10, 11}));
            CHECK(finder.piece().has_value() == finds);
            if (finds) {
                Numbers numbers{};
                REQUIRE(finder.piece()->bytes == sizeof numbers);
                read_bytes(hdf5::descriptor(file.get()), finder.piece()->offset,
                           std::as_writable_bytes(std::span(numbers)));
                CHECK(numbers == Numbers{8, 9, 10, 11});
            }
            read_chunk(set.get(), 4);
            CHECK_FALSE(finder.piece());  // two chunks were read
        }
        CHECK(read_chunk(set.get(), 8) == Numbers{8, 9, 10, 11});
    }
}
