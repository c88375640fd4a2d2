#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "datasets/samples/sample_stream.hpp"
#include "tests/datasets/bytes_read.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

/// The elements with indices in these ranges, of rows 0 to 5 of 5 x 4 x 3 numbers that count from 0.
std::vector<std::int32_t> part_of_rows(Range first, Range second, Range third) {
    std::vector<std::int32_t> numbers;
    for (std::int64_t row = 0; row < 6; ++row) {
        for (auto i = first.begin; i < first.end; ++i) {
            for (auto j = second.begin; j < second.end; ++j) {
                for (auto k = third.begin; k < third.end; ++k) {
                    numbers.push_back(static_cast<std::int32_t>(((row * 5 + i) * 4 + j) * 3 + k));
                }
            }
        }
    }
    return numbers;
}

}  // namespace

TEST_CASE("every sample's bytes are read from every file layout") {
    const TemporaryFolder folder;
    struct Case {
        hsize_t chunk_samples;
        bool deflate;
    };
    for (const auto [chunk_samples, deflate] :
         {Case{0, false}, Case{1, false}, Case{4, false}, Case{4, true}, Case{11, false}, Case{64, true}}) {
        CAPTURE(chunk_samples);
        CAPTURE(deflate);
        const auto set = SampleSet::open(write_counting_set(folder / "set.h5", 11, chunk_samples, deflate));

        CHECK(set->size() == 11);
        for (std::int64_t begin = 0; begin < 11; ++begin) {
            for (std::int64_t count = 1; count <= 11 - begin; ++count) {
                CHECK(reads_counting_samples(*set, begin, count));
            }
        }
    }
}

TEST_CASE("a set describes its fields") {
    const TemporaryFolder folder;
    const auto location = write_counting_set(folder / "set.h5", 11, 4);

    const auto set = SampleSet::open(location);

    CHECK(set->location() == location);
    CHECK(set->inputs()[0].path == "/train/inputs");
    CHECK(set->inputs()[0].type == ElementType::i32);
    CHECK(set->inputs()[0].shape == std::vector<std::int64_t>{3});
    CHECK(set->inputs()[0].chunk_samples == 4);
    CHECK(set->inputs().sample_bytes() == 12);
    CHECK(set->targets()[0].type == ElementType::u16);
    CHECK(set->targets()[0].shape.empty());
    CHECK(set->targets().sample_bytes() == 2);
    CHECK(set->chunk_samples() == 4);
}

TEST_CASE("a chunk larger than the set holds the set") {
    const TemporaryFolder folder;

    CHECK(SampleSet::open(write_counting_set(folder / "set.h5", 11, 64))->chunk_samples() == 11);
}

TEST_CASE("a set without chunks is read in blocks of about 256 KiB") {
    const TemporaryFolder folder;

    const auto set = SampleSet::open(write_counting_set(folder / "set.h5", 30000, 0));

    CHECK(set->inputs()[0].chunk_samples == 0);
    CHECK(set->chunk_samples() == 262144 / 12);
}

TEST_CASE("chunks that split the samples, and targets with a shape, are read") {
    const TemporaryFolder folder;
    const auto file = folder / "set.h5";
    std::vector<std::int32_t> inputs(7 * 5 * 4);
    std::iota(inputs.begin(), inputs.end(), 0);
    std::vector<std::int32_t> targets(7 * 2);
    std::iota(targets.begin(), targets.end(), 1000);
    {
        Hdf5Writer writer(file);
        writer.add("/a/b/inputs", {7, 5, 4}, H5T_NATIVE_INT32, inputs, {.chunk = {3, 2, 3}, .deflate = true});
        // Larger chunks than those of the inputs: a read takes a part of one.
        writer.add("/a/b/targets", {7, 2}, H5T_NATIVE_INT32, targets, {.chunk = {5, 2}, .deflate = true});
    }

    const auto set = SampleSet::open(file.string() + ":/a/b/");
    std::vector<std::byte> got_inputs(7 * 80);
    std::vector<std::byte> got_targets(7 * 8);
    for (const auto& [begin, count] : {std::pair{0, 3}, std::pair{3, 3}, std::pair{6, 1}}) {
        set->read(begin, count, std::span(got_inputs).subspan(80 * begin, 80 * count),
                  std::span(got_targets).subspan(8 * begin, 8 * count));
    }

    CHECK(set->inputs()[0].shape == std::vector<std::int64_t>{5, 4});
    CHECK(set->targets()[0].shape == std::vector<std::int64_t>{2});
    CHECK(set->chunk_samples() == 3);
    CHECK(got_inputs == bytes_of(inputs));
    CHECK(got_targets == bytes_of(targets));
}

TEST_CASE("a part of each row is read from every layout, by every route") {
    const TemporaryFolder folder;
    const auto file = folder / "set.h5";
    std::vector<std::int32_t> numbers(6 * 5 * 4 * 3);
    std::iota(numbers.begin(), numbers.end(), 0);
    const std::vector<Layout> layouts{{},
                                      {.file_type = H5T_STD_I32BE},
                                      {.chunk = {2, 5, 4, 3}},
                                      {.chunk = {1, 2, 3, 3}, .deflate = true},
                                      {.file_type = H5T_STD_I32BE, .chunk = {4, 3, 2, 2}, .deflate = true}};
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        Hdf5Writer(folder / std::to_string(i)).add("/t", {6, 5, 4, 3}, H5T_NATIVE_INT32, numbers, layouts[i]);
        for (const auto routes : {Routes::fastest, Routes::library}) {
            for (const auto& [name, expected] : {std::pair{"t[:, 3]", part_of_rows({3, 4}, {0, 4}, {0, 3})},
                                                 {"t[:, 1:4, 2:]", part_of_rows({1, 4}, {2, 4}, {0, 3})},
                                                 {"t[:, :, 1:3, 1]", part_of_rows({0, 5}, {1, 3}, {1, 2})},
                                                 {"t[:, 4, 3, 2]", part_of_rows({4, 5}, {3, 4}, {2, 3})}}) {
                CAPTURE(i);
                CAPTURE(name);
                const auto set = SampleSet::open((folder / std::to_string(i)).string() + ":/",
                                                 {.inputs = {name}, .targets = {}, .routes = routes});
                const auto sample_bytes = set->inputs().sample_bytes();
                std::vector<std::byte> rows(6 * sample_bytes);

                for (const auto& [begin, count] : {std::pair{0, 4}, {4, 1}, {5, 1}}) {
                    set->read(begin, count, std::span(rows).subspan(begin * sample_bytes, count * sample_bytes), {});
                }

                CHECK(rows == bytes_of(expected));
            }
        }
    }
}

TEST_CASE("reading a part of contiguous rows reads little more than that part") {
    const TemporaryFolder folder;
    const auto file = folder / "set.h5";
    Hdf5Writer(file).add("/t", {16, 4, 65536}, H5T_NATIVE_FLOAT, std::vector<float>(16 * 4 * 65536));
    const auto set = SampleSet::open(file.string() + ":/", {.inputs = {"t[:, 1]", "t[:, 3]"}, .targets = {}});
    CHECK(set->first_alike(1) == 1);
    std::vector<std::byte> inputs(set->inputs().bytes_of(16));
    const auto before = bytes_read_so_far();

    set->read(0, 16, inputs, {});

    CHECK(static_cast<double>(bytes_read_so_far() - before) < 1.01 * static_cast<double>(inputs.size()));
}

TEST_CASE("reading rows of a step or a list reads each chunk once, even if chunks split the rows") {
    const TemporaryFolder folder;
    constexpr std::int32_t num_rows = 64;
    constexpr std::size_t row = 4 * 4096;
    std::vector<std::int32_t> numbers;
    for (std::int32_t i = 0; i < num_rows * static_cast<std::int32_t>(row); ++i) {
        numbers.push_back(i);
    }
    const std::vector<std::int32_t> list{1, 2, 3, 14, 17, 18, 31, 32, 40, 63};  // chunks have rows 0 to 15, 16 to 31 …
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/inputs", {num_rows, 4, 4096}, H5T_NATIVE_INT32, numbers, {.chunk = {16, 2, 1024}});
        writer.add("/list", {list.size()}, H5T_NATIVE_INT32, list);
    }
    const auto location = (folder / "set.h5").string() + ":/";
    std::vector<std::int32_t> odd;
    for (std::int32_t i = 1; i < num_rows; i += 2) {
        odd.push_back(i);
    }
    for (const auto& [selection, rows] : {std::pair{"[1::2]", odd}, {"[/list]", list}}) {
        for (const auto routes : {Routes::fastest, Routes::library}) {
            const auto set = SampleSet::open(location + selection, {.targets = {}, .routes = routes});
            std::vector<std::int32_t> expected;
            for (const auto i : rows) {
                expected.insert(expected.end(), numbers.begin() + i * static_cast<std::ptrdiff_t>(row),
                                numbers.begin() + (i + 1) * static_cast<std::ptrdiff_t>(row));
            }
            std::vector<std::byte> inputs(set->inputs().bytes_of(set->size()));
            const auto before = bytes_read_so_far();

            set->read(0, set->size(), inputs, {});

            CHECK(inputs == bytes_of(expected));
            if (routes == Routes::fastest) {
                CHECK(set->inputs()[0].route == Route::chunks);
                CHECK(static_cast<double>(bytes_read_so_far() - before) < 1.05 * sizeof(float) * num_rows * row);
            }
        }
    }
}

TEST_CASE("two threads read the same set, and another set of the same file") {
    const TemporaryFolder folder;
    const auto location = write_counting_set(folder / "set.h5", 1000, 10, /*deflate=*/true);
    const auto set = SampleSet::open(location);
    std::array<bool, 2> ok{true, true};

    {
        std::jthread other([&] {
            for (std::int64_t begin = 0; begin < 1000; begin += 10) {
                ok[0] = ok[0] && reads_counting_samples(*set, begin, 10);
            }
        });
        for (std::int64_t begin = 990; begin >= 0; begin -= 10) {
            ok[1] = ok[1] && reads_counting_samples(*set, begin, 10) &&
                    reads_counting_samples(*SampleSet::open(location), begin, 10);
        }
    }

    CHECK(ok[0]);
    CHECK(ok[1]);
}

TEST_CASE("inputs without targets form a set") {
    const TemporaryFolder folder;
    const auto file = (folder / "set.h5").string();
    const std::vector<std::uint8_t> values{1, 2, 3, 4};
    {
        Hdf5Writer writer(file);
        writer.add("/inputs", {4}, H5T_NATIVE_UINT8, values, {.chunk = {2}});
    }

    const auto set = SampleSet::open(file + ":/");

    CHECK(set->targets().size() == 0);
    CHECK(read_all(*set).inputs == bytes_of(values));
    CHECK(read_all(*set).targets.empty());
}

TEST_CASE("a damaged chunk causes an error that names file, data set and samples") {
    const TemporaryFolder folder;
    const auto file = folder / "set.h5";
    const auto location = write_counting_set(file, 100, 10, /*deflate=*/true);
    auto bytes = read_bytes(file);
    // zlib's streams begin with 78 5E at this level; the first is that of the first chunk written.
    const std::array magic{std::byte{0x78}, std::byte{0x5E}};
    const auto stream = std::search(bytes.begin(), bytes.end(), magic.begin(), magic.end());
    REQUIRE(stream != bytes.end());
    std::fill(stream, stream + 8, std::byte{0xFF});
    write_bytes(file, bytes);
    const auto set = SampleSet::open(location);
    std::vector<std::byte> inputs(120);
    std::vector<std::byte> targets(20);

    CHECK_THROWS_WITH_AS(set->read(0, 10, inputs, targets), Contains("set.h5:/train/inputs: samples 0 to 9 cannot"),
                         std::runtime_error);
    CHECK(reads_counting_samples(*set, 10, 10));
}

TEST_CASE("a virtual data set with a missing source is refused unless missing data are filled") {
    const TemporaryFolder folder;
    const auto location = write_virtual_set(folder / "virtual.h5");
    const auto complete = read_all(*SampleSet::open(location)).inputs;
    std::vector<float> values(12, 1.0F);
    std::fill(values.begin() + 6, values.end(), 2.0F);
    CHECK(complete == bytes_of(values));
    std::filesystem::rename(folder / "part-1.hdf", folder / "away");

    CHECK(complaint_about(location) == Contains("its source part-1.hdf is missing: there is no such file"));
    const auto filled = read_all(*SampleSet::open(location, {.missing_sources = MissingSources::fill})).inputs;

    std::fill(values.begin() + 6, values.end(), 0.0F);
    CHECK(filled == bytes_of(values));
    Hdf5Writer(folder / "part-1.hdf").add("/other", {1}, H5T_NATIVE_FLOAT, std::vector{1.0F});
    CHECK(complaint_about(location) == Contains("part-1.hdf:/piece is missing: there is no such data set"));
}

TEST_CASE("after a source of a virtual data set changes or disappears, the next read fails") {
    for (const char* change : {"written", "replaced", "removed"}) {
        CAPTURE(change);
        const TemporaryFolder folder;
        const auto source = folder / "part-0.hdf";
        const auto set = SampleSet::open(write_virtual_set(folder / "virtual.h5"));
        read_all(*set);
        if (change == std::string("written")) {
            std::filesystem::last_write_time(source,
                                             std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
        } else if (change == std::string("replaced")) {
            write_bytes(folder / "new", read_bytes(source));
            std::filesystem::rename(folder / "new", source);
        } else {
            std::filesystem::remove(source);
        }

        CHECK_THROWS_WITH_AS(read_all(*set), Contains("part-0.hdf"), std::runtime_error);
    }
}

TEST_CASE("after a linked file changes, the next read fails and the set has another identity") {
    const TemporaryFolder folder;
    write_counting_set(folder / "data.h5", 10, 0);
    {
        const Hdf5Writer writer(folder / "links.h5");
        REQUIRE(H5Lcreate_external("data.h5", "/train", writer.id(), "train", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    }
    const auto location = (folder / "links.h5").string() + ":/train";
    const auto set = SampleSet::open(location);
    CHECK(SampleSet::open(location)->identity() == set->identity());
    CHECK_FALSE(set->is_compressed());
    read_all(*set);

    std::filesystem::last_write_time(folder / "data.h5",
                                     std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));

    CHECK_THROWS_WITH_AS(read_all(*set), Contains("data.h5 was written to"), std::runtime_error);
    CHECK(SampleSet::open(location)->identity() != set->identity());
}

TEST_CASE("sets that read other parts of the same rows have other identities, so they share no memory") {
    const TemporaryFolder folder;
    const auto location = write_counting_set(folder / "set.h5", 20, 4);
    const std::vector<SetOptions> all{{},
                                      {.inputs = {"inputs[:, 0]"}},
                                      {.inputs = {"inputs[:, 1]"}},
                                      {.window = {.length = 2}},
                                      {.window = {.length = 2, .stride = 2}},
                                      {.window = {.length = 2, .stride = 2, .horizon = 1}},
                                      {.window = {.length = 2, .horizon = 1}}};
    std::set<std::uint64_t> identities;

    for (const auto& options : all) {
        identities.insert(SampleSet::open(location, options)->identity());
    }

    CHECK(identities.size() == all.size());
}

TEST_CASE("a window and its target may come from the same data set") {
    const TemporaryFolder folder;
    const auto set = SampleSet::open(write_counting_set(folder / "set.h5", 20, 4),
                                     {.inputs = {"targets"}, .targets = {"targets"}, .window = {.length = 3}});
    CHECK(set->first_alike(1) == 1);

    SampleStream stream(set, {.shuffle = Shuffle::none});
    stream.enter({.group_batch = 18});
    const auto slice = stream.next();

    REQUIRE(slice);
    std::vector<std::uint16_t> last_of_window(18);
    std::iota(last_of_window.begin(), last_of_window.end(), 2);
    CHECK(std::vector(slice->targets.begin(), slice->targets.end()) == bytes_of(last_of_window));
}
