#include "datasets/samples/set_survey.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

TEST_CASE("a range over several files has parts only in the files that it reaches") {
    const TemporaryFolder folder;
    write_counting_set(folder / "1.h5", 4, 0);
    write_counting_set(folder / "2.h5", 4, 0);
    write_counting_set(folder / "3.h5", 4, 0);
    const auto location = (folder / "?.h5").string() + ":/train[5:11:2]";  // rows 5, 7 and 9 of all
    const SetOptions options;
    int opened = 0;

    const SetSurvey survey(location, options, [&] { ++opened; });

    CHECK(opened == 3);
    CHECK(survey.num_samples == 3);
    REQUIRE(survey.parts.size() == 2);
    CHECK(survey.open.size() == 2);
    CHECK(survey.parts[0].place.file == folder / "2.h5");
    CHECK(survey.parts[0].map.num_samples == 2);
    CHECK(survey.parts[0].map.row_of(1) == 3);
    CHECK(survey.parts[1].place.file == folder / "3.h5");
    CHECK(survey.parts[1].map.row_of(0) == 1);
}

TEST_CASE("the rows of several files follow one another in the order of the file names, in every layout") {
    const TemporaryFolder folder;
    const auto location = write_counting_files(folder.path(), {7, 1, 9, 4}, 4);
    const auto set = SampleSet::open(location);

    CHECK(set->size() == 21);
    for (std::int64_t begin = 0; begin < 21; ++begin) {
        for (std::int64_t count = 1; count <= 21 - begin; ++count) {
            CHECK(reads_counting_samples(*set, begin, count));
        }
    }
    CHECK(set->row_of(8) == 0);
    CHECK(set->place_of(8) == (folder / "part-002.h5").string() + ":/train");
}

TEST_CASE("a selection counts over the rows of all files") {
    const TemporaryFolder folder;
    const auto location = write_counting_files(folder.path(), {7, 1, 9, 4}, 4);

    for (const auto& [range, begin, end] :
         {std::tuple{"[5:12]", 5, 12}, {"[8:]", 8, 21}, {"[:7]", 0, 7}, {"[9:11]", 9, 11}}) {
        const auto set = SampleSet::open(location + range);
        const auto [inputs, targets] = read_all(*set);
        std::vector<std::int64_t> samples(static_cast<std::size_t>(end - begin));
        std::iota(samples.begin(), samples.end(), begin);
        CHECK(are_counting_samples(samples, inputs, targets));
    }
    const auto [inputs, targets] = read_all(*SampleSet::open(location + "[1:20:3]"));
    CHECK(are_counting_samples(std::vector<std::int64_t>{1, 4, 7, 10, 13, 16, 19}, inputs, targets));
    CHECK(complaint_about(location + "[21:]") == Contains("of all files holds samples [0, 21)"));
    CHECK(complaint_about(location + "[:22]") == Contains("of all files holds samples [0, 21)"));
}

TEST_CASE("each file has its own list of selected rows") {
    const TemporaryFolder folder;
    const auto location = write_counting_files(folder.path(), {7, 9}, 4);
    for (const auto& [name, row] : {std::pair{"part-000.h5", 3}, {"part-001.h5", 5}}) {
        Hdf5Writer::reopened(folder / name).add("/list", {1}, H5T_NATIVE_INT, &row);
    }

    const auto set = SampleSet::open(location + "[/list]");

    const auto [inputs, targets] = read_all(*set);
    CHECK(are_counting_samples(std::vector<std::int64_t>{3, 7 + 5}, inputs, targets));
}

TEST_CASE("a window has rows of only one file") {
    const TemporaryFolder folder;
    const auto location = write_counting_files(folder.path(), {7, 2, 6}, 4);

    const auto set = SampleSet::open(location, {.window = {.length = 3, .horizon = 1}});

    REQUIRE(set->size() == 4 + 0 + 3);  // a window and its target take 4 rows
    std::vector<std::int32_t> inputs(9);
    std::vector<std::uint16_t> target(1);
    set->read(4, 1, std::as_writable_bytes(std::span(inputs)), std::as_writable_bytes(std::span(target)));
    CHECK(inputs.front() == 90);  // the first window of the third file, whose rows are 9 to 14
    CHECK(target.front() == 12);
    CHECK(complaint_of([&] { SampleSet::open(location, {.window = {.length = 8}}); }) ==
          Contains("does not fit in the rows of any of 3 files"));
}

TEST_CASE("each file of a set is unpacked by its own factors, however it is stored") {
    const TemporaryFolder folder;
    for (const auto routes : {Routes::fastest, Routes::library}) {
        const auto set = SampleSet::open(write_differently_packed_files(folder.path()), {.routes = routes});
        CHECK(set->inputs()[0].type == ElementType::f32);
        CHECK(set->inputs()[0].is_real());
        CHECK_FALSE(set->inputs()[0].packing);
        CHECK(set->targets()[0].type == ElementType::f32);

        const auto bytes = read_all(*set).inputs;

        std::vector<float> numbers(30);
        REQUIRE(bytes.size() == numbers.size() * sizeof(float));
        std::memcpy(numbers.data(), bytes.data(), bytes.size());
        for (std::size_t file = 0; file < 3; ++file) {
            for (std::size_t i = 0; i < 10; ++i) {
                const float number = numbers[10 * file + i];
                const auto expected = static_cast<float>(100 * file) + static_cast<float>(i) / 2;
                CHECK((file > 0 && i == 9 ? std::isnan(number) : number == expected));
            }
        }
    }
}

TEST_CASE("files that mark different numbers as missing are read by their own marks") {
    const TemporaryFolder folder;
    for (const char* mark : {"_FillValue", "valid_min", "valid_max"}) {
        CAPTURE(mark);
        for (const std::int16_t number : std::array<std::int16_t, 2>{3, 5}) {
            Hdf5Writer writer(folder / (std::to_string(number) + ".h5"));
            writer.add("/inputs", {3}, H5T_NATIVE_INT16, std::vector<std::int16_t>{3, 4, 5});
            writer.attribute("/inputs", "scale_factor", H5T_NATIVE_DOUBLE, std::vector{2.0});
            writer.attribute("/inputs", mark, H5T_NATIVE_INT16, std::vector{number});
        }

        const auto bytes = read_all(*SampleSet::open((folder / "?.h5").string() + ":/")).inputs;

        std::vector<float> numbers(6);
        REQUIRE(bytes.size() == numbers.size() * sizeof(float));
        std::memcpy(numbers.data(), bytes.data(), bytes.size());
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const std::size_t stored = 3 + i % 3;
            const std::size_t marked = i < 3 ? 3 : 5;
            const bool is_missing = mark == std::string("_FillValue")  ? stored == marked
                                    : mark == std::string("valid_min") ? stored < marked
                                                                       : stored > marked;
            CHECK((is_missing ? std::isnan(numbers[i]) : numbers[i] == static_cast<float>(2 * stored)));
        }
    }
}

TEST_CASE("windows and parts of rows are unpacked by the factors of their file") {
    const TemporaryFolder folder;
    const auto set = SampleSet::open(write_differently_packed_files(folder.path()),
                                     {.inputs = {"inputs[:, 1]"}, .window = {.length = 2, .horizon = 0}});

    std::array<float, 2> window{};
    std::array<float, 1> target{};
    set->read(9, 1, std::as_writable_bytes(std::span(window)), std::as_writable_bytes(std::span(target)));

    CHECK(window == std::array{201.5F, 202.5F});  // each file has four windows: this is the second of file 2
    CHECK(target[0] == 2.0F);
}

TEST_CASE("files with contradictory class names are refused, and otherwise the longest list names the classes") {
    using Names = std::vector<std::string>;
    const TemporaryFolder folder;
    const auto location = write_counting_files(folder.path(), {4, 4, 4}, 2);
    name_classes(folder / "part-000.h5", "/train/targets", {"cat"});
    name_classes(folder / "part-001.h5", "/train/targets", {"cat", "dog", "horse"});
    name_classes(folder / "part-002.h5", "/train/targets", {"cat", "dog"});
    CHECK(SampleSet::open(location)->targets()[0].classes == Names{"cat", "dog", "horse"});

    name_classes(folder / "part-002.h5", "/train/targets", {"dog", "horse"});

    CHECK(complaint_about(location) == Contains("class 0 is dog in "));
    CHECK(complaint_about(location) == Contains("part-002.h5:/train/targets and cat in "));
    CHECK(complaint_about(location) == Contains("part-001.h5:/train/targets, so the same number means two classes; "));
}
