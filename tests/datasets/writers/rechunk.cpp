#include "datasets/writers/rechunk.hpp"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "datasets/inspection/inspect.hpp"
#include "datasets/samples/sample_set.hpp"
#include "tests/datasets/bytes_read.hpp"
#include "tests/datasets/files.hpp"
#include "tests/datasets/python.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

namespace fs = std::filesystem;

std::vector<std::int32_t> counting(std::size_t count) {
    std::vector<std::int32_t> values(count);
    std::iota(values.begin(), values.end(), 0);
    return values;
}

/// 23 inputs of 4 x 6 int32 that count from 0, and 23 targets.
std::string write_set(const fs::path& file, const Layout& inputs) {
    Hdf5Writer writer(file);
    writer.add("/train/inputs", {23, 4, 6}, H5T_NATIVE_INT32, counting(23 * 24), inputs);
    writer.add("/train/targets", {23}, H5T_NATIVE_INT32, counting(23), {.chunk = {23}});
    return file.string() + ":/train";
}

const DataSetInfo& info_of(const std::vector<DataSetInfo>& all, const std::string& path) {
    for (const auto& info : all) {
        if (info.path == path) {
            return info;
        }
    }
    throw std::runtime_error("no " + path);
}

}  // namespace

TEST_CASE("samples stay the same in new chunks, whatever the old chunks were") {
    const std::vector<Layout> layouts{{},
                                      {.chunk = {1, 4, 6}},
                                      {.chunk = {5, 4, 6}, .deflate = true},
                                      {.chunk = {23, 1, 1}},
                                      {.chunk = {7, 3, 4}, .filters = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE}},
                                      {.file_type = H5T_STD_I32BE, .chunk = {23, 4, 6}}};
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        for (const int compression : {0, 6}) {
            for (const std::int64_t chunk : {0, 1, 4, 100}) {
                CAPTURE(i);
                CAPTURE(compression);
                CAPTURE(chunk);
                const TemporaryFolder folder;
                const auto from = write_set(folder / "old.h5", layouts[i]);
                const auto to = (folder / "new.h5").string() + ":/a/b";
                std::vector<std::int64_t> seen;

                rechunk(from, to,
                        {.chunk_samples = chunk, .compression = compression, .progress = [&](auto done, auto) {
                             seen.push_back(done);
                         }});

                const auto set = SampleSet::open(to);
                CHECK(read_all(*set).inputs == bytes_of(counting(23 * 24)));
                CHECK(read_all(*set).targets == bytes_of(counting(23)));
                const auto all = inspect(folder / "new.h5");
                const auto samples = chunk == 0 ? 23 : std::min<std::int64_t>(chunk, 23);
                CHECK(info_of(all, "/a/b/inputs").chunk == std::vector<std::int64_t>{samples, 4, 6});
                CHECK(info_of(all, "/a/b/targets").chunk == std::vector<std::int64_t>{samples});
                CHECK(info_of(all, "/a/b/inputs").type == "int32");
                CHECK(info_of(all, "/a/b/inputs").filters.size() == (compression == 0 ? 0 : 2));
                CHECK(seen.back() == 23 * 100);
                CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 2);
            }
        }
    }
}

TEST_CASE("everything else in a group is kept, as seen by h5py") {
    if (!has_h5py()) {
        return;
    }
    const TemporaryFolder folder;
    run_python("rechunk_kept.py write", folder.path());

    rechunk((folder / "old.h5").string() + ":/", (folder / "new.h5").string() + ":/", {.chunk_samples = 3});

    run_python("rechunk_kept.py check", folder.path());
}

TEST_CASE("a group is added to an existing file, and no group is overwritten") {
    const TemporaryFolder folder;
    const auto from = write_set(folder / "old.h5", {});
    const auto to = write_counting_set(folder / "new.h5", 5, 0);
    const auto beside = (folder / "new.h5").string() + ":/copy";

    rechunk(from, beside, {});

    CHECK(SampleSet::open(beside)->size() == 23);
    CHECK(SampleSet::open(to)->size() == 5);
    CHECK(complaint_of([&] { rechunk(from, beside, {}); }) == Contains("new.h5:/copy already exists"));
    CHECK(complaint_of([&] { rechunk(from, from + "2", {}); }) == Contains("old.h5 is the file to read"));
    CHECK(complaint_of([&] { rechunk(from + "/none", to + "2", {}); }) == Contains("has no group /train/none"));
    CHECK(complaint_of([&] { rechunk(from, (folder / "x.h5").string() + ":/", {.compression = 10}); }) ==
          Contains("compression 10 does not exist"));
    CHECK_FALSE(fs::exists(folder / "x.h5"));
}

TEST_CASE("a data set that claims to be larger than any disk is not copied") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "old.h5");
        writer.add("/huge", {hsize_t{1} << 62}, H5T_NATIVE_INT32, nullptr, {.chunk = {1 << 20}});
    }

    CHECK(complaint_of([&] {
              rechunk((folder / "old.h5").string() + ":/", (folder / "new.h5").string() + ":/", {});
          }) == Contains("huge claims to hold more than 2^60 bytes"));
    CHECK_FALSE(fs::exists(folder / "new.h5"));
}

TEST_CASE("a copy can be interrupted between two written chunks and leaves no file") {
    const TemporaryFolder folder;
    const auto from = write_set(folder / "old.h5", {});
    const auto to = (folder / "new.h5").string() + ":/";
    int num_polls = 0;
    const auto interrupt = [&] {
        if (++num_polls == 10) {  // the inputs are read at once, which polls once, and written in 23 chunks
            throw std::runtime_error("interrupted");
        }
    };

    CHECK_THROWS_WITH(rechunk(from, to, {.chunk_samples = 1, .poll = interrupt}), "interrupted");

    CHECK(num_polls == 10);
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("chunks that span all samples are read in parts that fit in memory") {
    // 4,096 samples of 64 numbers, 1 MiB, one chunk for each of the 64: 256 KiB hold 1,024 samples.
    const TemporaryFolder folder;
    const auto values = counting(4096 * 64);
    {
        Hdf5Writer writer(folder / "old.h5");
        writer.add("/inputs", {4096, 64}, H5T_NATIVE_INT32, values, {.chunk = {4096, 1}, .deflate = true});
        writer.add("/targets", {4096}, H5T_NATIVE_INT32, counting(4096), {.chunk = {4096}});
    }
    std::vector<std::int64_t> seen;

    rechunk((folder / "old.h5").string() + ":/", (folder / "new.h5").string() + ":/",
            {.chunk_samples = 100, .progress = [&](std::int64_t done, std::int64_t) { seen.push_back(done); }},
            1 << 18);

    // Whole new chunks: 1,000 samples of 256 bytes at a time; then the targets at once.
    CHECK(seen == std::vector<std::int64_t>{256000, 512000, 768000, 1024000, 1048576, 1064960});
    const auto set = SampleSet::open((folder / "new.h5").string() + ":/");
    CHECK(set->inputs()[0].chunk_samples == 100);
    CHECK(read_all(*set).inputs == bytes_of(values));
    CHECK(read_all(*set).targets == bytes_of(counting(4096)));
}

TEST_CASE("threads do not read the same old chunk for a block that begins inside one") {
    const TemporaryFolder folder;
    constexpr std::size_t chunk_bytes = 64 * 4096;
    const std::vector<float> values(640 * 1024, 1.5F);
    Hdf5Writer(folder / "old.h5").add("/inputs", {640, 1024}, H5T_NATIVE_FLOAT, values, {.chunk = {64, 1024}});
    const auto before = bytes_read_so_far();

    // 200 samples fit. New chunks of 37 make that blocks of 185, which have parts of 3, 4, 4 and 2 old chunks.
    rechunk((folder / "old.h5").string() + ":/", (folder / "new.h5").string() + ":/", {.chunk_samples = 37},
            200 * 4096);

    CHECK(bytes_read_so_far() - before < 13 * chunk_bytes + (chunk_bytes / 2));
    CHECK(read_all(*SampleSet::open((folder / "new.h5").string() + ":/")).inputs == bytes_of(values));
}

TEST_CASE("a string data set with many string attributes, as in netCDF-4 files, is copied with them") {
    const TemporaryFolder folder;
    write_names(folder / "old.h5");

    rechunk((folder / "old.h5").string() + ":/", (folder / "new.h5").string() + ":/", {});

    const hid_t file = H5Fopen((folder / "new.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    int num_attributes = 0;
    H5Aiterate_by_name(
        file, "/names", H5_INDEX_NAME, H5_ITER_NATIVE, nullptr,
        [](hid_t, const char*, const H5A_info_t*, void* count) {
            ++*static_cast<int*>(count);
            return herr_t{0};
        },
        &num_attributes, H5P_DEFAULT);
    CHECK(num_attributes == 12);
    H5Fclose(file);
}

TEST_CASE("an enumeration with a fill value, as in NetCDF files, is copied") {
    const TemporaryFolder folder;
    const hid_t type = H5Tenum_create(H5T_NATIVE_UINT8);
    for (const auto& [name, value] :
         {std::pair<const char*, std::uint8_t>{"clear", 0}, {"cumulus", 1}, {"none", 255}}) {
        H5Tenum_insert(type, name, &value);
    }
    const auto filled = [&](hid_t creation) {
        const std::uint8_t fill = 255;
        H5Pset_fill_value(creation, type, &fill);
    };
    Hdf5Writer(folder / "old.nc").add("/inputs", {3}, type, std::vector<std::uint8_t>{1, 0, 255}, {.settle = filled});

    rechunk((folder / "old.nc").string() + ":/", (folder / "new.h5").string() + ":/", {});

    CHECK(read_all(*SampleSet::open((folder / "new.h5").string() + ":/")).inputs ==
          bytes_of(std::vector<std::uint8_t>{1, 0, 255}));
    H5Tclose(type);
}

TEST_CASE("strings with a fill value, as in NetCDF files, can be read from the copy") {
    const TemporaryFolder folder;
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    const auto filled = [&](hid_t creation) {
        const char* fill = "";
        H5Pset_fill_value(creation, type, &fill);
    };
    Hdf5Writer(folder / "old.nc").add("/names", {3}, type, std::vector{"one", "two", "three"}, {.settle = filled});

    rechunk((folder / "old.nc").string() + ":/", (folder / "new.h5").string() + ":/", {});

    const hid_t file = H5Fopen((folder / "new.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t names = H5Dopen2(file, "/names", H5P_DEFAULT);
    const hid_t creation = H5Dget_create_plist(names);
    CHECK(creation >= 0);
    std::vector<char*> texts(3, nullptr);
    REQUIRE(H5Dread(names, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()) >= 0);
    CHECK(std::vector<std::string>(texts.begin(), texts.end()) == std::vector<std::string>{"one", "two", "three"});
    for (char* text : texts) {
        H5free_memory(text);
    }
    H5Pclose(creation);
    H5Dclose(names);
    H5Fclose(file);
    H5Tclose(type);
}

TEST_CASE("a data set that was never written takes no space in the copy and keeps its fill value") {
    const TemporaryFolder folder;
    const auto filled = [](hid_t creation) {
        const double fill = 3.5;
        H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &fill);
    };
    // Larger than the disk of any test.
    Hdf5Writer(folder / "old.h5")
        .add("/inputs", {hsize_t{1} << 40}, H5T_NATIVE_DOUBLE, nullptr,
             {.file_type = H5T_IEEE_F64BE, .chunk = {1000}, .settle = filled});

    rechunk((folder / "old.h5").string() + ":/", (folder / "new.h5").string() + ":/", {});

    CHECK(fs::file_size(folder / "new.h5") < 1 << 16);
    const auto set = SampleSet::open((folder / "new.h5").string() + ":/");
    std::vector<std::byte> bytes(8);
    set->read(123'456, 1, bytes, {});
    CHECK(bytes == bytes_of(std::vector{3.5}));
}

TEST_CASE("a copy that does not fit on the disk is refused with both sizes before anything is written") {
    const TemporaryFolder folder;
    {
        // One chunk of a set of 2^60 bytes is written.
        Hdf5Writer writer(folder / "old.h5");
        const std::array<hsize_t, 2> chunk{1, 1};
        writer.add("/inputs", {hsize_t{1} << 30, hsize_t{1} << 27}, H5T_NATIVE_DOUBLE, nullptr, {.chunk = {1, 1}});
        const hid_t data_set = H5Dopen2(writer.id(), "/inputs", H5P_DEFAULT);
        const hid_t space = H5Dget_space(data_set);
        const hid_t one = H5Screate_simple(2, chunk.data(), nullptr);
        const std::array<hsize_t, 2> begin{0, 0};
        H5Sselect_hyperslab(space, H5S_SELECT_SET, begin.data(), nullptr, chunk.data(), nullptr);
        const double value = 1;
        REQUIRE(H5Dwrite(data_set, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &value) >= 0);
        H5Sclose(one);
        H5Dclose(data_set);
        H5Sclose(space);
    }

    CHECK(complaint_of([&] {
              rechunk((folder / "old.h5").string() + ":/", (folder / "new.h5").string() + ":/", {});
          }) == Contains(" takes 1152921504606846976 bytes, but "));
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a virtual data set with a missing source is not copied unless missing data are filled") {
    const TemporaryFolder folder;
    const auto from = write_virtual_set(folder / "virtual.h5");
    const auto to = (folder / "new.h5").string() + ":/";
    fs::remove(folder / "part-0.hdf");

    CHECK(complaint_of([&] { rechunk(from, to, {}); }) == Contains("part-0.hdf is missing"));
    CHECK_FALSE(fs::exists(folder / "new.h5"));
    rechunk(from, to, {}, 1 << 20, MissingSources::fill);

    std::vector<float> values(12, 0.0F);
    std::fill(values.begin() + 6, values.end(), 2.0F);
    CHECK(read_all(*SampleSet::open(to)).inputs == bytes_of(values));
}

TEST_CASE("packed numbers stay packed in a copy") {
    const TemporaryFolder folder;
    const auto to = (folder / "new.h5").string() + ":/";

    rechunk(write_packed_set(folder / "packed.h5"), to, {});

    CHECK(inspect(folder / "new.h5")[0].packing == "x * 0.5 + 10, missing -9999, valid 0 to 5");
    CHECK(inspect(folder / "new.h5")[0].type == "int16");
}

TEST_CASE("a source that changes while it is copied causes an error and leaves no file") {
    const TemporaryFolder folder;
    const auto from = write_virtual_set(folder / "virtual.h5");
    const auto change = [&] {
        fs::last_write_time(folder / "part-0.hdf", fs::file_time_type::clock::now() + std::chrono::seconds(5));
    };

    CHECK_THROWS_WITH_AS(rechunk(from, (folder / "new.h5").string() + ":/", {.poll = change}),
                         Contains("part-0.hdf was written to while it was read"), std::runtime_error);
    CHECK_FALSE(fs::exists(folder / "new.h5"));
}

TEST_CASE("a copy of some rows of a group is refused with the advice to name data sets") {
    const TemporaryFolder folder;
    const auto from = write_set(folder / "old.h5", {});

    CHECK(complaint_of([&] { rechunk(from + "[0:10]", (folder / "new.h5").string() + ":/", {}); }) ==
          Contains("old.h5 has no group /train[0:10]; to copy some rows of a group, also name its data sets"));
}
