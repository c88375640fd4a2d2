#include "datasets/writers/join.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/hdf5/hdf5.hpp"
#include "datasets/hdf5/hdf5_types.hpp"
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

TEST_CASE("a copy of some data sets has only these, with their packing attributes") {
    const TemporaryFolder folder;
    const auto from = write_packed_set(folder / "packed.h5");

    join(from + "[1:3]", (folder / "copy.h5").string() + ":/", {"inputs"}, {});

    const auto copy = SampleSet::open((folder / "copy.h5").string() + ":/");
    CHECK(copy->size() == 2);
    CHECK(copy->targets().size() == 0);
    REQUIRE(copy->inputs()[0].packing);
    CHECK(copy->inputs()[0].packing->scale == 0.5);
    CHECK(complaint_of([&] { join(from, from, {}, {}); }) == Contains("is one of the files to read"));
    CHECK(complaint_of([&] {
              join(from, (folder / "two.h5").string() + ":/", {"inputs[:, 0]", "inputs[:, 1]"}, {});
          }) == Contains("/inputs is named twice"));
    CHECK(complaint_of([&] { join(from, (folder / "none/copy.h5").string() + ":/", {}, {}); }) ==
          Contains("none is not a folder; create it first"));
}

TEST_CASE("a copy of differently packed files has unpacked numbers and no packing attributes") {
    const TemporaryFolder folder;
    const auto from = write_differently_packed_files(folder.path());

    join(from, (folder / "copy.h5").string() + ":/", {"inputs"}, {});

    const auto copy = SampleSet::open((folder / "copy.h5").string() + ":/");
    CHECK(copy->inputs()[0].type == ElementType::f32);
    CHECK_FALSE(copy->inputs()[0].packing);
    const auto original = SampleSet::open(from, {.inputs = {"inputs"}, .targets = {}});
    CHECK(read_all(*copy).inputs == read_all(*original).inputs);
}

TEST_CASE("a copy of several files has the class names of all its files") {
    const TemporaryFolder folder;
    const auto from = write_counting_files(folder.path(), {4, 4}, 2);
    name_classes(folder / "part-000.h5", "/train/targets", {"cat"});
    name_classes(folder / "part-001.h5", "/train/targets", {"cat", "dog"});

    join(from, (folder / "copy.h5").string() + ":/", {}, {});

    const auto copy = SampleSet::open((folder / "copy.h5").string() + ":/");
    CHECK(copy->targets()[0].classes == std::vector<std::string>{"cat", "dog"});
}

TEST_CASE("a copy of data sets in subgroups has the same subgroups") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "a.h5");
        writer.add("/all/surface/t", {2}, H5T_NATIVE_INT, std::vector{1, 2});
        writer.add("/all/z", {2}, H5T_NATIVE_INT, std::vector{3, 4});
    }

    join((folder / "a.h5").string() + ":/all", (folder / "copy.h5").string() + ":/", {"surface/t", "z"}, {});

    const auto copy = SampleSet::open((folder / "copy.h5").string() + ":/", {.inputs = {"surface/t", "z"}});
    CHECK(read_all(*copy).inputs == bytes_of(std::vector{1, 2, 3, 4}));
}

TEST_CASE("h5py booleans stay booleans in a copy of several files") {
    const TemporaryFolder folder;
    const auto boolean = hdf5::boolean_type();
    for (const char* name : {"a.h5", "b.h5"}) {
        Hdf5Writer(folder / name).add("/inputs", {2}, boolean.get(), std::vector<std::int8_t>{0, 1});
    }

    join((folder / "?.h5").string() + ":/", (folder / "copy.hdf").string() + ":/", {}, {});

    const hdf5::Session session;
    const auto file = hdf5::open_file(folder / "copy.hdf", hdf5::Access::read);
    const auto data_set = hdf5::open_data_set(file.get(), "/inputs", "copy.hdf");
    const auto type = hdf5::own(H5Dget_type(data_set.get()), "no type");
    CHECK(H5Tequal(type.get(), boolean.get()) > 0);
}
