#include "datasets/samples/set_file.hpp"

#include <doctest/doctest.h>

#include <functional>

#include "core/check.hpp"
#include "datasets/samples/sample_set.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

/// The complaint about two files, of which the second has what `write` writes.
doctest::String complaint_about(const std::function<void(Hdf5Writer&)>& write) {
    const TemporaryFolder folder;
    const auto location = write_counting_set(folder / "1.h5", 4, 0);
    {
        Hdf5Writer second(folder / "2.h5");
        write(second);
    }
    return complaint_of([&] { SampleSet::open((folder / "?.h5").string() + ":/train"); });
}

}  // namespace

TEST_CASE("a set that says to be larger than any disk is damaged") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/inputs", {hsize_t{1} << 62}, H5T_NATIVE_INT32, nullptr, {.chunk = {1 << 20}});
    }
    const SampleSet::Options options{.targets = {}};

    CHECK_THROWS_WITH_AS(SampleSet::open((folder / "set.h5").string() + ":/", options),
                         Contains("set.h5:/inputs says to hold more than 2^60 bytes"), crescendo::DamagedFile);
}

TEST_CASE("the first file whose rows are not like those before is named with the difference") {
    const std::vector<std::int32_t> numbers(8);
    const std::vector<std::uint16_t> targets(4);
    const auto add_inputs = [&](Hdf5Writer& file, std::vector<hsize_t> shape, hid_t type) {
        file.add("/train/inputs", shape, type, numbers);
    };

    CHECK(complaint_about([&](Hdf5Writer& file) {
              add_inputs(file, {2, 4}, H5T_NATIVE_INT32);
              file.add("/train/targets", {2}, H5T_NATIVE_UINT16, targets);
          }) == Contains("2.h5:/train/inputs is int32, a row of 4, but"));
    CHECK(complaint_about([&](Hdf5Writer& file) {
              add_inputs(file, {2, 3}, H5T_NATIVE_FLOAT);
              file.add("/train/targets", {2}, H5T_NATIVE_UINT16, targets);
          }) == Contains("2.h5:/train/inputs is float32, a row of 3, but"));
    CHECK(complaint_about([&](Hdf5Writer& file) {
              add_inputs(file, {2, 3}, H5T_NATIVE_INT32);
              file.attribute("/train/inputs", "scale_factor", H5T_NATIVE_DOUBLE, std::vector{0.5});
              file.add("/train/targets", {2}, H5T_NATIVE_UINT16, targets);
          }) == Contains("2.h5:/train/inputs is int32, a row of 3, packed, but"));
    CHECK(complaint_about([&](Hdf5Writer& file) {
              add_inputs(file, {2, 3}, H5T_NATIVE_INT32);
              file.attribute("/train/inputs", "_FillValue", H5T_NATIVE_INT32, std::vector{-1});
              file.add("/train/targets", {2}, H5T_NATIVE_UINT16, targets);
          }) == Contains("2.h5:/train/inputs is int32, a row of 3, missing -1, but"));
    CHECK(complaint_about([&](Hdf5Writer& file) {
              add_inputs(file, {2, 3}, H5T_NATIVE_INT32);
          }) == Contains("1.h5:/train has targets and"));
    CHECK(complaint_about([&](Hdf5Writer& file) { file.add("/train/targets", {2}, H5T_NATIVE_UINT16, targets); }) ==
          Contains("2.h5 has no data set /train/inputs"));
}
