#include "datasets/hdf5/source_files.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/variable.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

namespace fs = std::filesystem;

/// A part of a virtual data set: `length` rows from `begin` on, which are the first rows of its source.
struct Part {
    hsize_t begin;
    hsize_t length;
    const char* file;
    const char* data_set = "/piece";
    bool is_whole = false;  ///< whether it selects the whole source instead of these rows
};

/// Writes FILE:/inputs, a virtual data set of `rows` int16. Returns the location of the set.
std::string write_virtual(const fs::path& file, hsize_t rows, const std::vector<Part>& parts) {
    const hid_t space = H5Screate_simple(1, &rows, nullptr);
    const auto map_parts = [&](hid_t creation) {
        for (const auto& part : parts) {
            const hid_t source = H5Screate_simple(1, &part.length, nullptr);
            const hsize_t zero = 0;
            if (!part.is_whole) {
                H5Sselect_hyperslab(source, H5S_SELECT_SET, &zero, nullptr, &part.length, nullptr);
            }
            H5Sselect_hyperslab(space, H5S_SELECT_SET, &part.begin, nullptr, &part.length, nullptr);
            REQUIRE(H5Pset_virtual(creation, space, part.file, part.data_set, source) >= 0);
            H5Sclose(source);
        }
    };
    Hdf5Writer(file, /*latest=*/true).add("/inputs", {rows}, H5T_NATIVE_INT16, nullptr, {.settle = map_parts});
    H5Sclose(space);
    return file.string() + ":/";
}

/// Writes FILE:/inputs, four int16 stored in the file `raw` from byte 4 on. Returns the location of the set.
std::string write_external(const fs::path& file, const fs::path& raw) {
    const auto map_raw = [&](hid_t creation) {
        REQUIRE(H5Pset_external(creation, raw.c_str(), 4, 4) >= 0);
        REQUIRE(H5Pset_external(creation, raw.c_str(), 8, H5F_UNLIMITED) >= 0);
    };
    Hdf5Writer(file).add("/inputs", {4}, H5T_NATIVE_INT16, nullptr, {.settle = map_raw});
    return file.string() + ":/";
}

void write_piece(const fs::path& file, const std::vector<std::int16_t>& numbers, const Layout& layout = {}) {
    Hdf5Writer(file).add("/piece", {numbers.size()}, H5T_NATIVE_INT16, numbers, layout);
}

doctest::String complaint(const std::string& location) {
    return complaint_of([&] { SampleSet::open(location); });
}

std::vector<std::byte> filled(const std::string& location) {
    return read_all(*SampleSet::open(location, {.missing_sources = MissingSources::fill})).inputs;
}

}  // namespace

TEST_CASE("a source shorter than its part of a virtual data set is refused unless missing data are filled") {
    for (const bool is_whole : {false, true}) {
        CAPTURE(is_whole);
        const TemporaryFolder folder;
        write_piece(folder / "a.hdf", {1, 2, 3});
        write_piece(folder / "b.hdf", {4, 5, 6});
        const auto location = write_virtual(folder / "virtual.h5", 6,
                                            {{0, 3, "a.hdf", "/piece", is_whole}, {3, 3, "b.hdf", "/piece", is_whole}});
        CHECK(complaint(location) == "");
        write_piece(folder / "b.hdf", {4, 5}, {.chunk = {1}});

        CHECK(complaint(location) == Contains("takes more from its source "));
        CHECK(complaint(location) == Contains("b.hdf:/piece than the 2 it has; complete the source"));
        CHECK(complaint(location) == Contains("`missing_sources: fill`"));
        if (!is_whole) {  // otherwise the library reports an error
            CHECK(filled(location) == bytes_of<std::int16_t>({1, 2, 3, 4, 5, 0}));
        }
    }
}

TEST_CASE("bytes after a source in its file are never read as a part of it") {
    const TemporaryFolder folder;
    write_piece(folder / "a.hdf", {1, 2});
    const auto location = write_virtual(folder / "virtual.h5", 3, {{0, 3, "a.hdf"}});

    CHECK_THROWS_WITH_AS(filled(location), Contains("a.hdf:/piece than the 2 it has"), crescendo::InvalidInput);
}

TEST_CASE("a truncated external file is refused unless missing data are filled with zeros") {
    const TemporaryFolder folder;
    const auto raw = folder / "raw";
    const auto location = write_external(folder / "set.h5", raw);
    write_bytes(raw, bytes_of<std::int16_t>({-1, -1, 1, 2, 3, 4}));
    CHECK(complaint(location) == "");
    CHECK(filled(location) == bytes_of<std::int16_t>({1, 2, 3, 4}));
    fs::resize_file(raw, 10);

    CHECK(complaint(location) == Contains("raw, which has 10 bytes instead of 12: it was truncated"));
    CHECK(filled(location) == bytes_of<std::int16_t>({1, 2, 3, 0}));
}

TEST_CASE("an external file is looked for in HDF5_EXTFILE_PREFIX") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "raw");
    const auto location = write_external(folder / "set.h5", "x.raw");
    for (const auto& prefix : {std::string("${ORIGIN}/raw"), (folder / "raw").string()}) {
        const Variable variable("HDF5_EXTFILE_PREFIX", prefix);  // the library itself has read the variable long before
        write_bytes(folder / "raw/x.raw", bytes_of<std::int16_t>({-1, -1, 1, 2, 3, 4}));
        const auto before = SampleSet::open(location)->identity();

        fs::resize_file(folder / "raw/x.raw", 10);

        CHECK(complaint(location) == Contains("raw/x.raw, which has 10 bytes instead of 12: it was truncated"));
        CHECK(SampleSet::open(location, {.missing_sources = MissingSources::fill})->identity() != before);
    }
}

TEST_CASE("a gap in the numbered files of a virtual data set is refused, not taken for their end") {
    const TemporaryFolder folder;
    const auto location = write_numbered_set(folder / "virtual.h5", "b-%b.hdf", "/piece");
    for (const std::int16_t number : std::vector<std::int16_t>{0, 1, 2, 10}) {
        write_piece(folder / ("b-" + std::to_string(number) + ".hdf"), {number, number});
    }

    CHECK(complaint(location) == Contains("numbered files, and b-3.hdf is missing although "));
    CHECK(complaint(location) == Contains("b-10.hdf exists; put it back"));
    CHECK(filled(location) == bytes_of<std::int16_t>({0, 0, 1, 1, 2, 2}));
    fs::remove(folder / "b-10.hdf");
    write_piece(folder / "b-x.hdf", {1});
    CHECK(complaint(location) == "");
    write_piece(folder / "b-1.hdf", {1});
    CHECK(complaint(location) == Contains("b-1.hdf:/piece than the 1 it has"));
}

TEST_CASE("a gap in the numbered data sets of a virtual data set is refused") {
    const TemporaryFolder folder;
    const auto location = write_numbered_set(folder / "virtual.h5", "all.hdf", "/piece%b");
    {
        Hdf5Writer writer(folder / "all.hdf");
        for (const std::int16_t number : std::vector<std::int16_t>{0, 2}) {
            writer.add("/piece" + std::to_string(number), {2}, H5T_NATIVE_INT16,
                       std::vector<std::int16_t>{number, number});
        }
    }

    CHECK(complaint(location) == Contains("/piece1 of "));
    CHECK(complaint(location) == Contains("all.hdf is missing although /piece2 exists"));
    CHECK(filled(location) == bytes_of<std::int16_t>({0, 0}));
}

TEST_CASE("a source packed differently from its virtual data set is refused") {
    const TemporaryFolder folder;
    for (const auto& [name, factor] : {std::pair{"a.hdf", 0.5}, {"b.hdf", 0.25}}) {
        Hdf5Writer writer(folder / name);
        writer.add("/piece", {2}, H5T_NATIVE_INT16, std::vector<std::int16_t>{1, 2});
        writer.attribute("/piece", "scale_factor", H5T_NATIVE_DOUBLE, std::vector{factor});
    }
    const auto file = folder / "virtual.h5";
    const auto give_factor = [&](double factor) {
        Hdf5Writer::reopened(file).attribute("/inputs", "scale_factor", H5T_NATIVE_DOUBLE, std::vector{factor});
    };

    const auto one = write_virtual(file, 2, {{0, 2, "a.hdf"}});
    CHECK(complaint(one) == Contains("attributes say about its numbers: nothing. The attributes of its source "));
    CHECK(complaint(one) == Contains("a.hdf:/piece say: x * 0.5 + 0. So its numbers would be misread"));
    CHECK(complaint(one) == Contains("with a file pattern"));
    CHECK_THROWS_AS(filled(one), crescendo::InvalidInput);
    give_factor(0.5);
    CHECK(complaint(one) == "");
    const auto both = write_virtual(file, 4, {{0, 2, "a.hdf"}, {2, 2, "b.hdf"}});
    give_factor(0.5);
    CHECK(complaint(both) == Contains("b.hdf:/piece say: x * 0.25 + 0."));
}

TEST_CASE("a virtual data set may have packing attributes that its sources lack") {
    const TemporaryFolder folder;
    write_piece(folder / "a.hdf", {1, 2});
    const auto location = write_virtual(folder / "virtual.h5", 2, {{0, 2, "a.hdf"}});
    Hdf5Writer::reopened(folder / "virtual.h5").attribute("/inputs", "add_offset", H5T_NATIVE_DOUBLE, std::vector{7.0});

    CHECK(complaint(location) == "");
}

TEST_CASE("the source files include the file that a link to a source points to") {
    const TemporaryFolder folder;
    write_piece(folder / "far.hdf", {1, 2});
    {
        const Hdf5Writer writer(folder / "near.hdf");
        REQUIRE(H5Lcreate_external("far.hdf", "/piece", writer.id(), "piece", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    }
    write_virtual(folder / "virtual.h5", 2, {{0, 2, "near.hdf"}});
    const hdf5::Session session;
    const auto file = hdf5::open_file(folder / "virtual.h5", hdf5::Access::read);
    const auto data_set = hdf5::open_data_set(file.get(), "/inputs", "virtual.h5");

    const auto files = source_files(data_set.get(), "virtual.h5:/inputs", MissingSources::error);

    REQUIRE(files.size() == 2);
    CHECK(fs::equivalent(files[0], folder / "far.hdf"));
    CHECK(fs::equivalent(files[1], folder / "near.hdf"));
    CHECK_FALSE(linked_file(data_set.get(), folder / "virtual.h5"));
}
