#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "tests/datasets/files.hpp"
#include "tests/datasets/python.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

namespace fs = std::filesystem;

/// Runs write_matrix.py in `folder`. Returns the expected route for each file name. Without h5py, prints a message and
/// returns nothing.
std::map<std::string, std::string> write_matrix(const fs::path& folder) {
    if (!has_h5py()) {
        return {};
    }
    const auto lines = run_python("write_matrix.py", folder);
    REQUIRE(lines.size() > 100);
    return {lines.begin(), lines.end()};
}

std::vector<std::byte> read_in_steps(const SampleSet& set, std::int64_t step) {
    const auto sample_bytes = set.inputs().sample_bytes();
    std::vector<std::byte> all(static_cast<std::size_t>(set.size()) * sample_bytes);
    std::vector<std::byte> targets;
    for (std::int64_t begin = 0; begin < set.size(); begin += step) {
        const auto count = std::min(step, set.size() - begin);
        targets.resize(static_cast<std::size_t>(count) * set.targets().sample_bytes());
        set.read(begin, count,
                 std::span(all).subspan(static_cast<std::size_t>(begin) * sample_bytes,
                                        static_cast<std::size_t>(count) * sample_bytes),
                 targets);
    }
    return all;
}

/// The error message from reading samples [begin, begin + count); empty if the read succeeds.
doctest::String failure_of(const SampleSet& set, std::int64_t begin, std::int64_t count) {
    std::vector<std::byte> inputs(static_cast<std::size_t>(count) * set.inputs().sample_bytes());
    std::vector<std::byte> targets(static_cast<std::size_t>(count) * set.targets().sample_bytes());
    try {
        set.read(begin, count, inputs, targets);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

/// A set of eight samples of 16 int32 that count from 0, in chunks of two.
struct SmallSet {
    TemporaryFolder folder;
    fs::path file = folder / "set.h5";
    std::vector<std::int32_t> values;
    std::string location = file.string() + ":/";
    bool contiguous;

    explicit SmallSet(const std::vector<H5Z_filter_t>& filters, const std::vector<hsize_t>& chunk = {2, 16})
        : contiguous(chunk.empty()) {
        for (std::int32_t i = 0; i < 8 * 16; ++i) {
            values.push_back(i);
        }
        Hdf5Writer writer(file);
        writer.add("/inputs", {8, 16}, H5T_NATIVE_INT32, values, {.chunk = chunk, .filters = filters});
        writer.add("/targets", {8}, H5T_NATIVE_UINT8, bytes_of(std::vector<std::uint8_t>(8)));
    }

    /// The address of the inputs in the file, or of their chunk with samples 2 and 3.
    std::uint64_t address() const {
        const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
        const hid_t data_set = H5Dopen2(id, "/inputs", H5P_DEFAULT);
        haddr_t place = H5Dget_offset(data_set);
        if (place == HADDR_UNDEF) {
            const std::array<hsize_t, 2> offset{2, 0};
            unsigned mask = 0;
            hsize_t size = 0;
            REQUIRE(H5Dget_chunk_info_by_coord(data_set, offset.data(), &mask, &place, &size) >= 0);
        }
        H5Dclose(data_set);
        H5Fclose(id);
        return place;
    }

    /// Changes one byte of the chunk that holds samples 2 and 3.
    void damage(std::size_t byte) const {
        auto bytes = read_bytes(file);
        bytes[address() + byte] ^= std::byte{0xFF};
        write_bytes(file, bytes);
    }

    /// Replaces `address()` in the metadata of the file, which have no checksum in the old format.
    void pretend_to_lie_at(std::uint64_t other) const {
        auto bytes = read_bytes(file);
        std::vector<std::uint64_t> numbers{address()};
        if (contiguous) {
            numbers.push_back(values.size() * sizeof(std::int32_t));  // follows the address and makes the match unique
        }
        const auto old = bytes_of(numbers);
        const auto note = std::search(bytes.begin(), bytes.end(), old.begin(), old.end());
        REQUIRE(note != bytes.end());
        REQUIRE(std::search(note + 1, bytes.end(), old.begin(), old.end()) == bytes.end());
        const auto changed = bytes_of(std::vector<std::uint64_t>{other});
        std::copy(changed.begin(), changed.end(), note);
        write_bytes(file, bytes);
    }
};

}  // namespace

TEST_CASE("every type, layout and filter of h5py is read, by the expected route and with the bytes of the library") {
    const TemporaryFolder folder;
    for (const auto& [name, route] : write_matrix(folder / ".")) {
        CAPTURE(name);
        const auto expected = read_bytes(folder / (name + ".bin"));
        const auto location = (folder / (name + ".h5")).string() + ":/";

        const auto set = SampleSet::open(location);

        CHECK(std::string(to_string(set->inputs()[0].route)) == route);
        for (const std::int64_t step : {1, 3, 4, 23}) {
            CAPTURE(step);
            CHECK(read_in_steps(*set, step) == expected);
        }
        const bool needs_plugin = name.find("zstd") != name.npos || name.find("lz4") != name.npos ||
                                  name.find("blosc") != name.npos || name.find("lzf") != name.npos;
        if (!needs_plugin) {
            const auto by_library = SampleSet::open(location, {.routes = Routes::library});
            CHECK(by_library->inputs()[0].route == Route::library);
            CHECK(read_in_steps(*by_library, 4) == expected);
        }
    }
}

TEST_CASE("chunks that skipped a filter are read") {
    const TemporaryFolder folder;
    const auto file = folder / "set.h5";
    const auto values = bytes_of<std::int32_t>({1, 2, 3, 4});
    {
        Hdf5Writer writer(file);
        writer.add("/inputs", {4, 1}, H5T_NATIVE_INT32, nullptr,
                   {.chunk = {2, 1}, .filters = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE}});
        writer.add("/targets", {4}, H5T_NATIVE_UINT8, bytes_of(std::vector<std::uint8_t>(4)));
        const hid_t data_set = H5Dopen2(writer.id(), "/inputs", H5P_DEFAULT);
        const std::array<hsize_t, 2> first{0, 0};
        const std::array<hsize_t, 2> second{2, 0};
        REQUIRE(H5Dwrite_chunk(data_set, H5P_DEFAULT, 3, first.data(), 8, values.data()) >= 0);  // neither filter
        // 3 and 4 as shuffled little-endian bytes.
        const auto shuffled = bytes_of<std::uint8_t>({3, 4, 0, 0, 0, 0, 0, 0});
        REQUIRE(H5Dwrite_chunk(data_set, H5P_DEFAULT, 2, second.data(), 8, shuffled.data()) >= 0);  // no deflate
        H5Dclose(data_set);
    }

    const auto set = SampleSet::open(file.string() + ":/");

    CHECK(set->inputs()[0].route == Route::chunks);
    CHECK(read_all(*set).inputs == values);
}

TEST_CASE("n-bit, szip and bitshuffle are left to the library and its plugins") {
    constexpr H5Z_filter_t bitshuffle = 32008;
    std::vector<std::int32_t> values(23 * 16);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<std::int32_t>(i * i % 1000);
    }
    for (const auto filter : {H5Z_FILTER_NBIT, H5Z_FILTER_SZIP, bitshuffle}) {
        CAPTURE(filter);
        if (H5Zfilter_avail(filter) <= 0) {
            MESSAGE("skipped: HDF5 has no such filter here");
            continue;
        }
        const TemporaryFolder folder;
        {
            Hdf5Writer writer(folder / "set.h5");
            writer.add("/inputs", {23, 16}, H5T_NATIVE_INT32, values, {.chunk = {5, 16}, .filters = {filter}});
            writer.add("/targets", {23}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>(23));
        }

        const auto set = SampleSet::open((folder / "set.h5").string() + ":/");

        CHECK(set->inputs()[0].route == Route::library);
        CHECK(read_all(*set).inputs == bytes_of(values));
    }
}

TEST_CASE("chunks at the edge that are stored without their filters are left to the library") {
    const TemporaryFolder folder;
    std::vector<std::int32_t> values(7 * 16);
    std::iota(values.begin(), values.end(), 0);
    {
        Hdf5Writer writer(folder / "set.h5", /*latest=*/true);
        const auto settle = [](hid_t creation) {
            REQUIRE(H5Pset_chunk_opts(creation, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) >= 0);
        };
        writer.add("/inputs", {7, 16}, H5T_NATIVE_INT32, values, {.chunk = {5, 16}, .deflate = true, .settle = settle});
    }

    const auto set = SampleSet::open((folder / "set.h5").string() + ":/");

    CHECK(set->inputs()[0].route == Route::library);
    CHECK(read_all(*set).inputs == bytes_of(values));
}

TEST_CASE("a changed byte in a chunk causes an error with file, data set, samples, chunk and offset") {
    for (const auto& [filters, reason] :
         {std::pair{std::vector<H5Z_filter_t>{H5Z_FILTER_FLETCHER32}, "its checksum (fletcher32) does not match"},
          std::pair{std::vector<H5Z_filter_t>{H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE}, "deflate stream is damaged"},
          std::pair{std::vector<H5Z_filter_t>{H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32}, "its checksum"}}) {
        const SmallSet data(filters);
        data.damage(0);
        const auto set = SampleSet::open(data.location);

        CHECK(failure_of(*set, 0, 2) == "");
        CHECK(failure_of(*set, 4, 4) == "");
        CHECK(failure_of(*set, 2, 2) == Contains("set.h5:/inputs: samples 2 to 3 cannot be read: chunk (2, 0), "));
        CHECK(failure_of(*set, 0, 8) == Contains(" bytes at offset "));
        CHECK(failure_of(*set, 3, 1) == Contains(reason));
    }
}

TEST_CASE("an address beyond the end of the file causes an error that names the data set, not zeros") {
    for (const auto& chunk : {std::vector<hsize_t>{}, std::vector<hsize_t>{2, 16}}) {
        for (const bool far : {false, true}) {
            const SmallSet data({}, chunk);
            data.pretend_to_lie_at(far ? std::uint64_t{1} << 60 : fs::file_size(data.file) - 10);
            const auto problem = [&]() -> doctest::String {
                try {
                    return failure_of(*SampleSet::open(data.location), 2, 2);
                } catch (const std::runtime_error& error) {
                    return error.what();
                }
            };

            CHECK(problem() == Contains("set.h5:/inputs"));
            CHECK(problem() == Contains("cannot be "));
        }
    }
}

TEST_CASE("a file truncated while it is open causes an error, not zeros") {
    const TemporaryFolder folder;
    const auto contiguous = SampleSet::open(write_counting_set(folder / "contiguous.h5", 100000, 0));
    const auto chunked = SampleSet::open(write_counting_set(folder / "chunked.h5", 100000, 1000));

    fs::resize_file(folder / "contiguous.h5", 600000);  // 1.4 MB before
    fs::resize_file(folder / "chunked.h5", 600000);

    CHECK(failure_of(*contiguous, 90000, 1000) ==
          Contains("contiguous.h5:/train/inputs: samples 90000 to 90999 cannot be read: 12000 bytes at offset 108"));
    CHECK(failure_of(*chunked, 0, 100000) == Contains("chunked.h5:/train"));
}

TEST_CASE("a write to a file while it is open causes an error") {
    const TemporaryFolder folder;
    const auto file = folder / "set.h5";
    const auto set = SampleSet::open(write_counting_set(file, 100, 10));
    CHECK(failure_of(*set, 0, 10) == "");

    write_bytes(file, read_bytes(file));

    CHECK(failure_of(*set, 0, 10) == Contains("set.h5:/train was written to while it was read"));
}

TEST_CASE("a file replaced while it is open causes an error, but a renamed file is still read") {
    for (const std::int64_t chunk_samples : {0, 10}) {
        const TemporaryFolder folder;
        const auto file = folder / "set.h5";
        const auto set = SampleSet::open(write_counting_set(file, 100, chunk_samples));
        const auto before = read_all(*set).inputs;

        fs::rename(file, folder / "moved.h5");
        CHECK(read_all(*set).inputs == before);

        fs::copy_file(folder / "moved.h5", file);  // as large, and with the same bytes
        CHECK(failure_of(*set, 0, 10) == Contains("set.h5:/train was replaced by another file while it was read"));
        CHECK(failure_of(*set, 90, 10) == Contains("give a new version a new name"));
    }
}

TEST_CASE("a data set linked from another file is read from that file") {
    const TemporaryFolder folder;
    const auto location = write_counting_set(folder / "data.h5", 100, 0);
    {
        const Hdf5Writer writer(folder / "links.h5");
        REQUIRE(H5Lcreate_external("data.h5", "/train", writer.id(), "train", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    }

    const auto set = SampleSet::open((folder / "links.h5").string() + ":/train");

    CHECK(set->inputs()[0].route == Route::pread);
    CHECK(read_all(*set).inputs == read_all(*SampleSet::open(location)).inputs);
}
