#include "datasets/readers/library_reader.hpp"

#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;

namespace {

/// Creates FILE:/inputs, 64 x 128 int32 in chunks of four rows, and writes no number to it. `settle` sets more
/// properties. Returns the location of the set.
std::string write_unfilled(const std::filesystem::path& file, const std::function<void(hid_t creation)>& settle) {
    Hdf5Writer(file).add("/inputs", {64, 128}, H5T_NATIVE_INT32, nullptr, {.chunk = {4, 128}, .settle = settle});
    return file.string() + ":/";
}

/// Writes zeros to the first four rows of such a file.
void write_first_chunk(const std::filesystem::path& file) {
    const std::array<hsize_t, 2> begin{0, 0};
    const std::array<hsize_t, 2> chunk{4, 128};
    const std::vector<std::int32_t> zeros(4 * 128);
    const auto writer = Hdf5Writer::reopened(file);
    const hid_t data_set = H5Dopen2(writer.id(), "/inputs", H5P_DEFAULT);
    const hid_t space = H5Dget_space(data_set);
    const hid_t memory = H5Screate_simple(2, chunk.data(), nullptr);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, begin.data(), nullptr, chunk.data(), nullptr);
    REQUIRE(H5Dwrite(data_set, H5T_NATIVE_INT32, memory, space, H5P_DEFAULT, zeros.data()) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(data_set);
}

/// Whether all 64 inputs are read as zeros into memory that held something else.
bool are_zeros(const std::string& location, Routes routes) {
    const auto set = SampleSet::open(location, {.routes = routes});
    std::vector<std::byte> inputs(set->inputs().bytes_of(64), std::byte{0xAB});
    set->read(0, 64, inputs, {});
    return inputs == std::vector<std::byte>(inputs.size());
}

}  // namespace

TEST_CASE("samples that were never written or filled are read as zeros by every route") {
    const TemporaryFolder folder;
    const auto location =
        write_unfilled(folder / "set.h5", [](hid_t creation) { H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER); });

    CHECK(are_zeros(location, Routes::fastest));
    CHECK(are_zeros(location, Routes::library));
}

TEST_CASE("a virtual data set has zeros, not earlier rows, for samples that a source never wrote or filled") {
    const TemporaryFolder folder;
    write_unfilled(folder / "source.h5", [](hid_t creation) { H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER); });
    const std::array<hsize_t, 2> shape{64, 128};
    const hid_t space = H5Screate_simple(2, shape.data(), nullptr);
    const auto map_source = [&](hid_t creation) {
        REQUIRE(H5Pset_virtual(creation, space, "source.h5", "/inputs", space) >= 0);
    };
    Hdf5Writer(folder / "set.h5", /*latest=*/true)
        .add("/inputs", {64, 128}, H5T_NATIVE_INT32, nullptr, {.settle = map_source});
    H5Sclose(space);

    CHECK(are_zeros((folder / "set.h5").string() + ":/", Routes::fastest));
}

TEST_CASE("samples that were never written are zeros by every route if the fill value is undefined") {
    const TemporaryFolder folder;
    const auto location = write_unfilled(
        folder / "set.h5", [](hid_t creation) { H5Pset_fill_value(creation, H5T_NATIVE_INT32, nullptr); });
    write_first_chunk(folder / "set.h5");  // HDF5 reads nothing from a data set without any chunk

    CHECK(are_zeros(location, Routes::fastest));
    CHECK(are_zeros(location, Routes::library));
}
