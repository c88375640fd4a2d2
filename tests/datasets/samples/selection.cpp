#include "datasets/samples/selection.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "datasets/samples/sample_stream.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

/// The row of each sample in a stream's epoch of a counting set. Checks the samples' bytes.
std::vector<std::int64_t> rows_of(SampleStream& stream, const SampleSet& set) {
    std::vector<std::int64_t> rows;
    while (const auto slice = stream.next()) {
        for (const auto sample : slice->samples) {
            rows.push_back(set.row_of(sample));
        }
        CHECK(are_counting_samples(std::span(rows).last(slice->samples.size()), slice->inputs, slice->targets));
    }
    return rows;
}

std::vector<std::int64_t> from_to(std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(end - begin));
    std::iota(rows.begin(), rows.end(), begin);
    return rows;
}

/// A counting set of 101 samples in chunks of 5, and lists of rows.
std::string write_listed_set(const std::filesystem::path& file) {
    const auto location = write_counting_set(file, 101, 5);
    auto writer = Hdf5Writer::reopened(file);
    const auto add = [&](const char* name, const std::vector<std::int32_t>& rows) {
        writer.add(name, {rows.size()}, H5T_NATIVE_INT32, rows);
    };
    add("some", {7, 3, 4, 100, 50});
    add("twice", {7, 3, 7});
    add("beyond", {7, 101});
    add("mask", {1, 0, 1, 0});
    return location;
}

}  // namespace

TEST_CASE("a range of a group is a set of its own") {
    const TemporaryFolder folder;
    const auto location = write_counting_set(folder / "set.h5", 101, 5);

    for (const auto& [range, begin, end] :
         {std::tuple{"[0:50]", 0, 50}, std::tuple{"[48:]", 48, 101}, std::tuple{"[:1]", 0, 1}}) {
        const auto set = SampleSet::open(location + range);
        SampleStream stream(set, {.shuffle = Shuffle::none, .memory_bytes = 500});
        stream.enter({.group_batch = 7});

        CHECK(set->size() == end - begin);
        CHECK(rows_of(stream, *set) == from_to(begin, end));
    }
}

TEST_CASE("a range with a step takes some of its rows") {
    const TemporaryFolder folder;
    const auto location = write_counting_set(folder / "set.h5", 101, 5);
    const auto set = SampleSet::open(location + "[4:100:10]");
    SampleStream stream(set, {.shuffle = Shuffle::none, .memory_bytes = 500});
    stream.enter({.group_batch = 4});

    CHECK(rows_of(stream, *set) == std::vector<std::int64_t>{4, 14, 24, 34, 44, 54, 64, 74, 84, 94});
    CHECK(SampleSet::open(location + "[3::9223372036854775807]")->size() == 1);
    CHECK(complaint_of([&] { SampleSet::open(location + "[::0]"); }) == Contains("the step is 0"));
    CHECK(complaint_of([&] { SampleSet::open(location + "[::2]", {.window = {.length = 3}}); }) ==
          Contains("use data.window.stride"));
}

TEST_CASE("a list of rows is a set of its own, in the order of the file") {
    const TemporaryFolder folder;
    const auto location = write_listed_set(folder / "set.h5");

    const auto set = SampleSet::open(location + "[/some]");
    SampleStream stream(set, {.shuffle = Shuffle::none});
    stream.enter({.group_batch = 2});

    CHECK(set->size() == 5);
    CHECK(rows_of(stream, *set) == std::vector<std::int64_t>{3, 4, 7, 50, 100});
}

TEST_CASE("a selection without samples, or with samples that do not exist, is refused") {
    const TemporaryFolder folder;
    const auto location = write_listed_set(folder / "set.h5");
    const auto complaint = [&](const std::string& selection) {
        return complaint_of([&] { SampleSet::open(location + selection); });
    };

    CHECK(complaint("[50:102]") == Contains("holds samples [0, 101), but [50, 102) is not a part of them"));
    CHECK(complaint("[7:7]") == Contains("[7, 7) is not a part of them"));
    CHECK(complaint("[7]") == Contains("[7] selects nothing; write [BEGIN:END]"));
    CHECK(complaint("[a:7]") == Contains("a is not a sample number"));
    CHECK(complaint("[/none]") == Contains("set.h5 has no data set /none"));
    CHECK(complaint("[/twice]") == Contains("/twice lists sample 7 twice"));
    CHECK_FALSE(complaint("[/twice]") == Contains("mask"));
    CHECK(complaint("[/mask]") == Contains("For a mask of 0 and 1, numpy.flatnonzero returns the list"));
    CHECK(complaint("[/beyond]") == Contains("/beyond lists sample 101, but /train/inputs holds samples 0 to 100"));
    CHECK(complaint("[/train/inputs]") == Contains("/train/inputs does not list samples"));
}

TEST_CASE("a list with missing or packed numbers is refused") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/inputs", {4}, H5T_NATIVE_FLOAT, std::vector<float>{0, 1, 2, 3});
        writer.add("/some", {3}, H5T_NATIVE_INT32, std::vector<std::int32_t>{2, 0, 1});
        writer.attribute("/some", "_FillValue", H5T_NATIVE_INT32, std::vector<std::int32_t>{0});
        writer.add("/packed", {2}, H5T_NATIVE_INT32, std::vector<std::int32_t>{2, 3});
        writer.attribute("/packed", "scale_factor", H5T_NATIVE_DOUBLE, std::vector{0.5});
    }
    const auto complaint = [&](const std::string& list) {
        const SampleSet::Options options{.targets = {}};
        return complaint_of([&] { SampleSet::open((folder / "set.h5").string() + ":/[" + list + "]", options); });
    };

    CHECK(complaint("/some") == Contains("/some lists numbers that its attributes mark as missing"));
    CHECK(complaint("/some") == Contains("(missing 0)"));
    CHECK(complaint("/packed") == Contains("/packed does not list samples"));
}

TEST_CASE("equal selections have equal suffixes") {
    CHECK(Selection::parse("a.h5:/train[0:]").suffix() == Selection::parse("a.h5:/train").suffix());
    CHECK(Selection::parse("a.h5:/train[5:9]").suffix() == "[5:9]");
    CHECK(Selection::parse("a.h5:/train[::1]").suffix().empty());
    CHECK(Selection::parse("a.h5:/train[:9:2]").suffix() == "[0:9:2]");
    CHECK(Selection::parse("a.h5:/train[:9:]").suffix() == "[0:9]");
    CHECK(Selection::parse("a.h5:/train[/list]").group == "a.h5:/train");
}

TEST_CASE("a window has consecutive rows, and its target lies the horizon after them") {
    const TemporaryFolder folder;
    struct Case {
        TimeWindow window;
        std::size_t memory;
    };
    // Overlapping, adjacent and sparse windows; the set held whole, or read part by part.
    for (const auto& [window, memory] :
         {Case{{4, 1, 0}, 100'000}, Case{{4, 1, 2}, 3'000}, Case{{3, 3, 0}, 2'000}, Case{{2, 5, 1}, 2'000}}) {
        CAPTURE(window.length);
        const auto location = write_counting_set(folder / "set.h5", 101, 5) + "[10:]";
        const auto set = SampleSet::open(location, {.window = window});
        SampleStream stream(set, {.memory_bytes = memory});
        stream.enter({.seed = 5, .group_batch = 7});
        std::vector<std::int64_t> starts;

        while (const auto slice = stream.next()) {
            for (std::size_t i = 0; i < slice->samples.size(); ++i) {
                const auto start = set->row_of(slice->samples[i]);
                const auto last = start + window.length - 1 + window.horizon;
                starts.push_back(start);
                std::vector<std::int32_t> expected;
                for (auto row = static_cast<std::int32_t>(start); row < start + window.length; ++row) {
                    expected.insert(expected.end(), {10 * row, 10 * row + 1, 10 * row + 2});
                }
                const auto bytes = expected.size() * 4;
                const auto inputs = std::span(slice->inputs).subspan(i * bytes, bytes);
                CHECK(std::vector(inputs.begin(), inputs.end()) == bytes_of(expected));
                CHECK(std::to_integer<std::int64_t>(slice->targets[2 * i]) == last);
            }
        }

        // Rows 10 to 100: the last window's target must be one of them.
        std::vector<std::int64_t> expected;
        for (std::int64_t row = 10; row + window.length - 1 + window.horizon <= 100; row += window.stride) {
            expected.push_back(row);
        }
        std::sort(starts.begin(), starts.end());
        CHECK(starts == expected);
        CHECK(set->inputs()[0].shape == std::vector<std::int64_t>{window.length, 3});
        CHECK(set->targets()[0].shape.empty());
    }
}

TEST_CASE("windows longer than the series, or over a list, are refused") {
    const TemporaryFolder folder;
    const auto location = write_listed_set(folder / "set.h5");
    const auto complaint = [&](const std::string& selection, TimeWindow window) {
        return complaint_of([&] { SampleSet::open(location + selection, {.window = window}); });
    };

    CHECK(complaint("[90:]", {11, 1, 1}) == Contains("a window of 11 rows with a horizon of 1 does not fit in the 11"));
    CHECK(complaint("[90:]", {11, 1, 0}) == "");
    CHECK(complaint("[/some]", {2, 1, 0}) == Contains("windows need neighbouring rows"));
}
