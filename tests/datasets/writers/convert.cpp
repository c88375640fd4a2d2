#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "datasets/hdf5/hdf5.hpp"
#include "datasets/inspection/inspect.hpp"
#include "datasets/samples/sample_set.hpp"
#include "datasets/sources/open_source.hpp"
#include "datasets/writers/convert.hpp"
#include "datasets/writers/new_group.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

std::int64_t convert_idx(const std::filesystem::path& inputs, const std::filesystem::path& targets,
                         const std::string& location, const SampleRange& range, const WriteOptions& options) {
    const auto source = open_source({inputs.string(), targets.string()});
    const auto count = enter_range(*source, range);
    convert(*source, count, location, options);
    return count;
}

/// Ten samples: images of 2 × 3 bytes counting from 0, labels counting from 100.
struct TenSamples {
    TemporaryFolder folder;
    std::filesystem::path images = folder / "images";
    std::filesystem::path labels = folder / "labels.gz";
    std::filesystem::path file = folder / "set.h5";
    std::vector<std::uint8_t> pixels = std::vector<std::uint8_t>(60);
    std::vector<std::uint8_t> classes = std::vector<std::uint8_t>(10);

    TenSamples() {
        std::iota(pixels.begin(), pixels.end(), std::uint8_t{0});
        std::iota(classes.begin(), classes.end(), std::uint8_t{100});
        write_bytes(images, idx_bytes(0x08, {10, 2, 3}, bytes_of(pixels)));
        write_bytes(labels, gzip(idx_bytes(0x08, {10}, bytes_of(classes))));
    }

    std::string at(const std::string& group) const { return file.string() + ":" + group; }

    void convert(const std::string& group, const SampleRange& range = {}, const WriteOptions& options = {}) const {
        convert_idx(images, labels, at(group), range, options);
    }

    std::size_t files_in_folder() const {
        const auto all = std::filesystem::directory_iterator(file.parent_path());
        return static_cast<std::size_t>(std::distance(begin(all), end(all)));
    }
};

std::vector<std::string> paths_in(const std::filesystem::path& file) {
    std::vector<std::string> paths;
    for (const auto& info : inspect(file)) {
        paths.push_back(info.path);
    }
    return paths;
}

}  // namespace

TEST_CASE("converted samples have the bytes of the IDX files") {
    for (const int compression : {0, 9}) {
        for (const std::int64_t chunk_samples : {0, 1, 3, 10, 1000}) {
            CAPTURE(compression);
            CAPTURE(chunk_samples);
            const TenSamples ten;

            ten.convert("/train", {}, {chunk_samples, compression});

            const auto set = SampleSet::open(ten.at("/train"));
            const auto content = read_all(*set);
            CHECK(set->inputs()[0].shape == std::vector<std::int64_t>{2, 3});
            CHECK(set->targets()[0].shape.empty());
            CHECK(set->chunk_samples() == (chunk_samples == 0 ? 10 : std::min<std::int64_t>(chunk_samples, 10)));
            CHECK(content.inputs == bytes_of(ten.pixels));
            CHECK(content.targets == bytes_of(ten.classes));
            CHECK(ten.files_in_folder() == 3);
        }
    }
}

TEST_CASE("numbers of several bytes are converted correctly") {
    const TemporaryFolder folder;
    const std::vector<std::byte> stored{std::byte{1}, std::byte{2}, std::byte{255}, std::byte{254}};
    write_bytes(folder / "inputs", idx_bytes(0x0B, {2}, stored));
    const auto location = (folder / "set.h5").string() + ":/";

    CHECK(convert_idx(folder / "inputs", folder / "inputs", location, {}, {.compression = 4}) == 2);

    const auto set = SampleSet::open(location);
    CHECK(set->inputs()[0].type == ElementType::i16);
    CHECK(read_all(*set).inputs == bytes_of<std::int16_t>({258, -2}));
}

TEST_CASE("a set of many chunks keeps its samples, in a new file and in one that exists") {
    const TemporaryFolder folder;
    constexpr int num_samples = 70'000;  // chunks of one sample: too many for the library's index cache
    write_bytes(folder / "labels", idx_bytes(0x08, {num_samples}, std::vector<std::byte>(num_samples, std::byte{3})));
    const auto file = (folder / "set.h5").string();

    for (const auto* group : {":/a", ":/b"}) {
        convert_idx(folder / "labels", folder / "labels", file + group, {}, {.chunk_samples = 1});
    }

    for (const auto* group : {":/a", ":/b"}) {
        const auto set = SampleSet::open(file + group);
        REQUIRE(set->size() == num_samples);
        CHECK(read_all(*set).targets == std::vector<std::byte>(num_samples, std::byte{3}));
    }
}

TEST_CASE("ranges of the same files become groups of one file") {
    const TenSamples ten;

    ten.convert("/splits/train", {0, 7});
    ten.convert("/splits/validation", {7, std::nullopt});

    CHECK(SampleSet::open(ten.at("/splits/train"))->size() == 7);
    const auto validation = SampleSet::open(ten.at("/splits/validation"));
    CHECK(read_all(*validation).targets == bytes_of<std::uint8_t>({107, 108, 109}));
    CHECK(read_all(*validation).inputs.front() == std::byte{42});  // 7 · 6
}

TEST_CASE("progress runs from the first chunk to the last sample") {
    const TenSamples ten;
    std::vector<std::int64_t> seen;

    ten.convert("/train", {}, {.chunk_samples = 4, .progress = [&](std::int64_t done, std::int64_t total) {
                                   CHECK(total == 10);
                                   seen.push_back(done);
                               }});

    CHECK(seen == std::vector<std::int64_t>{4, 8, 10});
}

TEST_CASE("a group that exists is not overwritten") {
    const TenSamples ten;
    ten.convert("/train", {0, 4});
    const auto written = std::filesystem::last_write_time(ten.file);

    CHECK(complaint_of([&] { ten.convert("/train"); }) == Contains("set.h5:/train already exists"));
    CHECK(complaint_of([&] { ten.convert("/"); }) == Contains("set.h5:/ already exists"));
    CHECK(complaint_of([&] { ten.convert("/train/inputs"); }) == Contains("already exists"));
    CHECK(complaint_of([&] { ten.convert("/train/inputs/more"); }) == Contains("set.h5:/train/inputs is not a group"));
    CHECK(SampleSet::open(ten.at("/train"))->size() == 4);
    CHECK(std::filesystem::last_write_time(ten.file) == written);  // its kept statistics are still valid
}

TEST_CASE("a conversion that fails leaves an existing file as it was") {
    const TenSamples ten;
    ten.convert("/train");
    const auto before = read_bytes(ten.file);
    const auto written = std::filesystem::last_write_time(ten.file);
    // The images end in the middle of sample 9.
    auto stored = read_bytes(ten.images);
    stored.resize(stored.size() - 2);
    write_bytes(ten.images, stored);

    CHECK(complaint_of([&] { ten.convert("/a/test", {}, {.chunk_samples = 2}); }) == Contains("images is truncated"));

    CHECK(read_bytes(ten.file) == before);
    CHECK(std::filesystem::last_write_time(ten.file) == written);
    ten.convert("/a/test", {0, 9});
    CHECK(SampleSet::open(ten.at("/a/test"))->size() == 9);
}

TEST_CASE("a conversion that cannot work is refused before anything is written") {
    const TenSamples ten;
    const auto complaint = [&](const SampleRange& range, const WriteOptions& options = {}) {
        return complaint_of([&] { ten.convert("/train", range, options); });
    };
    write_bytes(ten.folder / "nine", idx_bytes(0x08, {9}, bytes_of(std::vector<std::uint8_t>(9))));

    CHECK(complaint({0, 11}) == Contains("samples [0, 11) are not in"));
    CHECK(complaint({5, 5}) == Contains("samples [5, 5) are not in"));
    CHECK(complaint({-1, 5}) == Contains("samples [-1, 5) are not in"));
    CHECK(complaint({}, {.chunk_samples = -1}) == Contains("-1 samples in a chunk"));
    CHECK(complaint({}, {.compression = 10}) == Contains("compression 10 does not exist"));
    CHECK(complaint_of([&] { convert_idx(ten.images, ten.folder / "nine", ten.at("/train"), {}, {}); }) ==
          Contains("nine holds 9"));
    CHECK(complaint_of([&] { convert_idx(ten.images, ten.labels, "absent/set.h5:/train", {}, {}); }) ==
          Contains("absent is not a folder"));
    CHECK(complaint_of([&] { ten.convert("/train[0:5]"); }) == Contains("/train[0:5] ends with brackets"));
    CHECK(complaint_of([&] { convert_idx(ten.images, ten.labels, ten.folder.path().string() + ":/train", {}, {}); }) ==
          Contains("is a folder, not an HDF5 file"));
    CHECK_FALSE(std::filesystem::exists(ten.file));
    CHECK(ten.files_in_folder() == 3);
}

TEST_CASE("nothing is added to a file that is being read") {
    const TenSamples ten;
    ten.convert("/train");
    const auto reader = SampleSet::open(ten.at("/train"));

    CHECK(complaint_of([&] { ten.convert("/test"); }) == Contains("set.h5 cannot be opened for writing"));

    CHECK(read_all(*reader).inputs == bytes_of(ten.pixels));
}

TEST_CASE("a file that tracks its free space can be added to, and stays intact if that fails") {
    const TenSamples ten;
    {
        const hdf5::Session session;
        const auto settings = hdf5::own(H5Pcreate(H5P_FILE_CREATE), "no settings");
        H5Pset_file_space_strategy(settings.get(), H5F_FSPACE_STRATEGY_FSM_AGGR, /*persist=*/true, /*threshold=*/1);
        hdf5::own(H5Fcreate(ten.file.c_str(), H5F_ACC_EXCL, settings.get(), H5P_DEFAULT), "no file");
    }
    ten.convert("/train");
    const auto fail = [](std::int64_t, std::int64_t) { throw std::runtime_error("interrupted"); };

    CHECK_THROWS_WITH(ten.convert("/test", {}, {.chunk_samples = 2, .progress = fail}), "interrupted");

    CHECK(paths_in(ten.file) == std::vector<std::string>{"/train/inputs", "/train/targets"});
    CHECK(read_all(*SampleSet::open(ten.at("/train"))).inputs == bytes_of(ten.pixels));
}

TEST_CASE("a file that is not HDF5 is not touched") {
    const TenSamples ten;
    write_bytes(ten.file, bytes_of(std::vector<char>(100, 'x')));

    CHECK(complaint_of([&] { ten.convert("/train"); }) == Contains("set.h5 is not an HDF5 file"));

    CHECK(read_bytes(ten.file) == bytes_of(std::vector<char>(100, 'x')));
}

TEST_CASE("a failure of HDF5 to close an object is reported") {
    const hdf5::Session session;
    hdf5::Handle nothing;

    CHECK_THROWS_WITH_AS(nothing.close("set.h5 cannot be closed"), Contains("set.h5 cannot be closed (HDF5: "),
                         std::runtime_error);
}

TEST_CASE("a file cannot be opened between the end of its writer and its restoration") {
    const TenSamples ten;
    ten.convert("/train");
    FileBefore file(ten.file);
    {
        const hdf5::Session session;
        const auto writer = hdf5::open_file(ten.file, hdf5::Access::write);
        file.take(hdf5::descriptor(writer.get()));
    }

    CHECK(complaint_of([&] { SampleSet::open(ten.at("/train")); }) == Contains("in use by another program"));

    file.leave();
    CHECK(SampleSet::open(ten.at("/train"))->size() == 10);
}
