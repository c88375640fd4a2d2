#include "datasets/samples/set_file.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.hpp"
#include "datasets/samples/sample_set.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

/// The complaint about a set of two files. `write` writes the content of the second.
doctest::String complaint_about_second(const std::function<void(Hdf5Writer&)>& write) {
    const TemporaryFolder folder;
    const auto location = write_counting_set(folder / "1.h5", 4, 0);
    {
        Hdf5Writer second(folder / "2.h5");
        write(second);
    }
    return complaint_of([&] { SampleSet::open((folder / "?.h5").string() + ":/train"); });
}

}  // namespace

TEST_CASE("a set that claims to be larger than any disk is reported as damaged") {
    const TemporaryFolder folder;
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/inputs", {hsize_t{1} << 62}, H5T_NATIVE_INT32, nullptr, {.chunk = {1 << 20}});
    }
    const SampleSet::Options options{.targets = {}};

    CHECK_THROWS_WITH_AS(SampleSet::open((folder / "set.h5").string() + ":/", options),
                         Contains("set.h5:/inputs claims to hold more than 2^60 bytes"), crescendo::DamagedFile);
}

TEST_CASE("the first file whose rows differ from those before is named with the difference") {
    const std::vector<std::int32_t> numbers(8);
    const std::vector<std::uint16_t> targets(4);
    const auto add_inputs = [&](Hdf5Writer& file, std::vector<hsize_t> shape, hid_t type) {
        file.add("/train/inputs", shape, type, numbers);
    };

    CHECK(complaint_about_second([&](Hdf5Writer& file) {
              add_inputs(file, {2, 4}, H5T_NATIVE_INT32);
              file.add("/train/targets", {2}, H5T_NATIVE_UINT16, targets);
          }) == Contains("2.h5:/train/inputs is int32, a row of 4, but"));
    CHECK(complaint_about_second([&](Hdf5Writer& file) {
              add_inputs(file, {2, 3}, H5T_NATIVE_FLOAT);
              file.add("/train/targets", {2}, H5T_NATIVE_UINT16, targets);
          }) == Contains("2.h5:/train/inputs is float32, a row of 3, but"));
    CHECK(complaint_about_second([&](Hdf5Writer& file) {
              add_inputs(file, {2, 3}, H5T_NATIVE_INT32);
              file.attribute("/train/inputs", "scale_factor", H5T_NATIVE_DOUBLE, std::vector{0.5});
              file.add("/train/targets", {2}, H5T_NATIVE_UINT16, targets);
          }) == Contains("2.h5:/train/inputs is int32, a row of 3, packed, but"));
    CHECK(complaint_about_second([&](Hdf5Writer& file) {
              add_inputs(file, {2, 3}, H5T_NATIVE_INT32);
              file.attribute("/train/inputs", "_FillValue", H5T_NATIVE_INT32, std::vector{-1});
              file.add("/train/targets", {2}, H5T_NATIVE_UINT16, targets);
          }) == Contains("2.h5:/train/inputs is int32, a row of 3, missing -1, but"));
    CHECK(complaint_about_second([&](Hdf5Writer& file) {
              add_inputs(file, {2, 3}, H5T_NATIVE_INT32);
          }) == Contains("1.h5:/train has targets but"));
    CHECK(complaint_about_second([&](Hdf5Writer& file) {
              file.add("/train/targets", {2}, H5T_NATIVE_UINT16, targets);
          }) == Contains("2.h5 has no data set /train/inputs"));
}

TEST_CASE("a location that cannot be used is named with the reason") {
    const TemporaryFolder folder;
    const auto file = (folder / "set.h5").string();
    write_counting_set(file, 4, 0);

    CHECK(complaint_about("fashion.h5") == Contains("FILE:/GROUP"));
    CHECK(complaint_about((folder / "absent.h5").string() + ":/train") == Contains("absent.h5: no such file"));
    CHECK(complaint_about((folder / ".").string() + ":/train") == Contains("is a folder"));
    CHECK(complaint_about((folder / "*.nc").string() + ":/train") == Contains("no file matches"));
    CHECK(complaint_about(file + ":/trian") == Contains("set.h5 has no group /trian: / holds train"));
    CHECK(complaint_about(file + ":/train/inputs") == Contains("set.h5:/train/inputs is not a group"));
    CHECK(complaint_about(file + ":/") ==
          Contains("set.h5 has no data set /inputs: / holds train; data.inputs and data.targets, or "
                   "--data-sets, can name others"));
    CHECK(complaint_about("~/set.h5:/train") == Contains("and ~ is not expanded; write the whole path"));
}

TEST_CASE("a dangling link is named with its target, not reported as a missing name") {
    const TemporaryFolder folder;
    const auto file = (folder / "set.h5").string();
    {
        Hdf5Writer writer(file);
        writer.add("/a/targets", {1}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>{1});
        H5Lcreate_external("gone.h5", "/x", writer.id(), "/a/inputs", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_soft("/nowhere", writer.id(), "/b", H5P_DEFAULT, H5P_DEFAULT);
        writer.add("/c/inputs", {1}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>{1});
        H5Lcreate_external("gone.h5", "/x", writer.id(), "/c/targets", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_external("gone.h5", "/x", writer.id(), "/d", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_soft("/e", writer.id(), "/e", H5P_DEFAULT, H5P_DEFAULT);
    }

    CHECK(complaint_about(file + ":/a") == Contains("set.h5:/a/inputs (external link) points to gone.h5:/x, which"));
    CHECK(complaint_about(file + ":/b") ==
          Contains("set.h5:/b (soft link) points to /nowhere, which cannot be opened"));
    CHECK(complaint_about(file + ":/c") == Contains("/c/targets (external link) points to gone.h5:/x"));
    CHECK(complaint_about(file + ":/b/train") == Contains("set.h5:/b (soft link) points to /nowhere, which"));
    CHECK(complaint_about(file + ":/d/train") == Contains("set.h5:/d (external link) points to gone.h5:/x, which"));
    CHECK(complaint_about(file + ":/e") == Contains("set.h5:/e (soft link) points to /e, which"));
    CHECK(complaint_about(file + ":/c/inputs/train") ==
          Contains("has no group /c/inputs/train: /c/inputs is not a group"));
}

TEST_CASE("damage never makes a set one without targets") {
    const TemporaryFolder folder;
    const auto file = folder / "set.h5";
    {
        Hdf5Writer writer(file, /*latest=*/true);
        for (int i = 0; i < 200; ++i) {  // so many names fill several leaves of an index
            writer.add("/" + std::to_string(i), {1}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>{1});
        }
        writer.add("/inputs", {1}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>{1});
        writer.add("/targets", {1}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>{1});
    }
    const auto intact = read_bytes(file);
    const std::string_view text(reinterpret_cast<const char*>(intact.data()), intact.size());
    int num_leaves = 0;
    for (auto leaf = text.find("BTLF"); leaf != std::string_view::npos; leaf = text.find("BTLF", leaf + 1)) {
        auto damaged = intact;
        damaged[leaf + 10] ^= std::byte{1};
        write_bytes(file, damaged);
        ++num_leaves;

        const auto complaint = complaint_about(file.string() + ":/");
        CHECK((complaint == Contains("checksum") || SampleSet::open(file.string() + ":/")->targets().size() == 1));
    }
    CHECK(num_leaves > 2);
}

TEST_CASE("a message about a group with many members names only some of them") {
    const TemporaryFolder folder;
    const auto file = (folder / "set.h5").string();
    {
        Hdf5Writer writer(file);
        for (int run = 100; run < 125; ++run) {
            writer.add("/" + std::to_string(run) + "/data", {1}, H5T_NATIVE_UINT8, std::vector<std::uint8_t>{1});
        }
    }

    CHECK(complaint_about(file + ":/") == Contains("/ holds 100, 101, 102, "));
    CHECK(complaint_about(file + ":/") == Contains(", 118, 119 and 5 more"));
}

TEST_CASE("a file that is truncated or is not HDF5 is named") {
    const TemporaryFolder folder;
    write_bytes(folder / "text.h5", bytes_of(std::vector<char>(4096, 'x')));
    write_bytes(folder / "empty.h5", {});
    const auto location = write_counting_set(folder / "cut.h5", 1000, 0);
    std::filesystem::resize_file(folder / "cut.h5", 6000);

    CHECK(complaint_about((folder / "text.h5").string() + ":/train") == Contains("text.h5 is not an HDF5 file"));
    CHECK(complaint_about((folder / "empty.h5").string() + ":/train") == Contains("empty.h5 is not an HDF5 file"));
    CHECK(complaint_about(location) == Contains("cut.h5 cannot be opened for reading"));
    CHECK(complaint_about(location) == Contains("truncated file"));
}

TEST_CASE("a data set that holds no samples is named") {
    const TemporaryFolder folder;
    const auto file = (folder / "set.h5").string();
    const std::vector<std::uint8_t> values{1, 2, 3, 4};
    {
        Hdf5Writer writer(file);
        writer.add("/uneven/inputs", {2}, H5T_NATIVE_UINT8, values);
        writer.add("/uneven/targets", {3}, H5T_NATIVE_UINT8, values);
        writer.add("/reversed/inputs", {1, 4}, H5T_NATIVE_UINT8, values);
        writer.add("/reversed/targets", {2, 4}, H5T_NATIVE_UINT8, nullptr);
        writer.add("/none/inputs", {0}, H5T_NATIVE_UINT8, nullptr);
        writer.add("/flat/inputs", {2, 0}, H5T_NATIVE_UINT8, nullptr);
        writer.add("/scalar/inputs", {}, H5T_NATIVE_UINT8, nullptr);
        writer.add("/text/inputs", {1}, H5T_C_S1, nullptr);
        writer.add("/long/inputs", {1}, H5T_NATIVE_LDOUBLE, nullptr);
    }

    CHECK(complaint_about(file + ":/uneven") == Contains("/uneven/inputs holds 2 samples but"));
    CHECK(complaint_about(file + ":/uneven") == Contains("/uneven/targets holds 3"));
    CHECK(complaint_about(file + ":/uneven") != Contains("MATLAB"));
    CHECK(complaint_about(file + ":/reversed") == Contains("MATLAB and Fortran, reverse the axes of the arrays"));
    CHECK(complaint_about(file + ":/none") == Contains("/none/inputs holds no samples"));
    CHECK(complaint_about(file + ":/flat") == Contains("/flat/inputs has samples without elements"));
    CHECK(complaint_about(file + ":/scalar") == Contains("/scalar/inputs is a scalar"));
    CHECK(complaint_about(file + ":/text") == Contains("/text/inputs is of type string"));
    CHECK(complaint_about(file + ":/text") == Contains("write class numbers, as numpy.unique("));
    CHECK(complaint_about(file + ":/long") == Contains("/long/inputs is of type float of 16 bytes"));
}

TEST_CASE("a filter that this HDF5 lacks is named when the set is opened") {
    const TemporaryFolder folder;
    const auto file = (folder / "set.h5").string();
    // A filter with a number for private use, registered only while the file is written.
    constexpr H5Z_filter_t number = 300;
    const auto pass = [](unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*, void**) {
        return bytes;
    };
    const H5Z_class2_t filter{H5Z_CLASS_T_VERS, number, 1, 1, "squeeze", nullptr, nullptr, pass};
    REQUIRE(H5Zregister(&filter) >= 0);
    {
        Hdf5Writer writer(file);
        writer.add("/targets", {4}, H5T_NATIVE_UINT8, bytes_of(std::vector<std::uint8_t>(4)));
        const auto squeeze = [](hid_t creation) { H5Pset_filter(creation, number, H5Z_FLAG_MANDATORY, 0, nullptr); };
        writer.add("/inputs", {4}, H5T_NATIVE_UINT8, nullptr, {.chunk = {4}, .settle = squeeze});
    }
    H5Zunregister(number);

    CHECK(complaint_about(file + ":/") == Contains("/inputs is stored with the filter squeeze, which this HDF5 lacks"));
}
