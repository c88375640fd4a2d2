#include "datasets/writers/join.hpp"

#include <doctest/doctest.h>

#include "datasets/samples/sample_set.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

TEST_CASE("a copy of several files has their rows one after the other") {
    const TemporaryFolder folder;
    const auto from = write_counting_files(folder.path(), {7, 1, 9, 4}, 4);
    const auto expected = read_all(*SampleSet::open(from));
    for (const std::int64_t memory : {1, 100, 1 << 20}) {
        CAPTURE(memory);
        const auto to = (folder / std::to_string(memory)).string() + ":/all";

        join(from, to, {}, {.chunk_samples = 5, .compression = memory == 100 ? 3 : 0}, memory);

        const auto copy = SampleSet::open(to);
        CHECK(copy->inputs()[0].chunk_samples == 5);
        CHECK(read_all(*copy).inputs == expected.inputs);
        CHECK(read_all(*copy).targets == expected.targets);
    }
}

TEST_CASE("a copy of some data sets has these, with what their attributes say") {
    const TemporaryFolder folder;
    const auto from = write_packed_set(folder / "packed.h5");

    join(from + "[1:3]", (folder / "copy.h5").string() + ":/", {"inputs"}, {});

    const auto copy = SampleSet::open((folder / "copy.h5").string() + ":/");
    CHECK(copy->size() == 2);
    CHECK(copy->targets().size() == 0);
    REQUIRE(copy->inputs()[0].packing);
    CHECK(copy->inputs()[0].packing->scale == 0.5);
    CHECK(complaint_of([&] { join(from, from, {}, {}); }) == Contains("is a file that is read"));
    CHECK(complaint_of([&] { join(from, (folder / "none/copy.h5").string() + ":/", {}, {}); }) ==
          Contains("none is no folder; make it first"));
}

TEST_CASE("a copy of files that are packed differently has what their numbers mean, and says of nothing else") {
    const TemporaryFolder folder;
    const auto from = write_differently_packed_files(folder.path());

    join(from, (folder / "copy.h5").string() + ":/", {"inputs"}, {});

    const auto copy = SampleSet::open((folder / "copy.h5").string() + ":/");
    CHECK(copy->inputs()[0].type == ElementType::f32);
    CHECK_FALSE(copy->inputs()[0].packing);
    const auto original = SampleSet::open(from, {.inputs = {"inputs"}, .targets = {}});
    CHECK(read_all(*copy).inputs == read_all(*original).inputs);
}

TEST_CASE("a copy of several files names all classes that one of them names") {
    const TemporaryFolder folder;
    const auto from = write_counting_files(folder.path(), {4, 4}, 2);
    name_classes(folder / "part-000.h5", "/train/targets", {"cat"});
    name_classes(folder / "part-001.h5", "/train/targets", {"cat", "dog"});

    join(from, (folder / "copy.h5").string() + ":/", {}, {});

    const auto copy = SampleSet::open((folder / "copy.h5").string() + ":/");
    CHECK(copy->targets()[0].classes == std::vector<std::string>{"cat", "dog"});
}
