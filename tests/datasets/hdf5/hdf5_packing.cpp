#include "datasets/hdf5/hdf5_packing.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "datasets/hdf5/hdf5_types.hpp"
#include "datasets/inspection/statistics.hpp"
#include "datasets/samples/conversion.hpp"
#include "datasets/samples/sample_set.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace {

/// Gives the data set at `path` a string attribute of fixed or variable length.
void attribute_of_text(const Hdf5Writer& writer, const char* path, const char* name, const char* text, bool is_fixed) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, is_fixed ? std::string(text).size() : H5T_VARIABLE);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute =
        H5Acreate_by_name(writer.id(), path, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    REQUIRE(H5Awrite(attribute, type, is_fixed ? static_cast<const void*>(text) : &text) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

}  // namespace

TEST_CASE("signed integers marked _Unsigned are read as unsigned, with their fill value and limits") {
    for (const bool is_fixed : {true, false}) {
        CAPTURE(is_fixed);
        const TemporaryFolder folder;
        const auto location = (folder / "goes.h5").string() + ":/";
        {
            Hdf5Writer writer(folder / "goes.h5");
            // As uint16: 1, 65533, 65535 (none), 65534 (beyond the limit), 40000
            writer.add("/rad", {5}, H5T_NATIVE_INT16, std::vector<std::int16_t>{1, -3, -1, -2, -25536});
            attribute_of_text(writer, "/rad", "_Unsigned", is_fixed ? "true" : "True", is_fixed);
            writer.attribute("/rad", "_FillValue", H5T_NATIVE_INT16, std::vector<std::int16_t>{-1});
            writer.attribute("/rad", "valid_max", H5T_NATIVE_INT16, std::vector<std::int16_t>{-3});
            writer.attribute("/rad", "scale_factor", H5T_NATIVE_DOUBLE, std::vector{0.5});
            writer.add("/classes", {5}, H5T_NATIVE_INT8, std::vector<std::int8_t>{0, 1, -56, 3, -1});
            attribute_of_text(writer, "/classes", "_Unsigned", "true", is_fixed);
            writer.add("/signed", {1}, H5T_NATIVE_INT8, std::vector<std::int8_t>{-1});
            attribute_of_text(writer, "/signed", "_Unsigned", "false", is_fixed);
        }
        const auto set = SampleSet::open(location, {.inputs = {"rad"}, .targets = {"classes"}});
        const auto& field = set->inputs()[0];
        const auto content = read_all(*set);

        std::vector<float> numbers(5);
        Conversion::to_float32(field, {}).convert(content.inputs, reinterpret_cast<std::byte*>(numbers.data()));
        std::vector<std::int64_t> classes(5);
        Conversion::to_int64(set->targets()[0]).convert(content.targets, reinterpret_cast<std::byte*>(classes.data()));

        CHECK(to_string(*field.packing) == "unsigned, x * 0.5 + 0, missing 65535, valid -inf to 65533");
        CHECK(numbers[0] == 0.5F);
        CHECK(numbers[1] == 32766.5F);
        CHECK(std::isnan(numbers[2]));
        CHECK(std::isnan(numbers[3]));
        CHECK(numbers[4] == 20000.0F);
        CHECK(classes == std::vector<std::int64_t>{0, 1, 200, 3, 255});
        const auto plain = compute_statistics(location, {.data_sets = {"signed"}});
        CHECK(plain[0].channels[0].min == -1);
    }
}

TEST_CASE("a scale_factor or add_offset of several numbers is refused") {
    const TemporaryFolder folder;
    const auto location = (folder / "set.h5").string() + ":/";
    {
        Hdf5Writer writer(folder / "set.h5");
        writer.add("/inputs", {2, 3}, H5T_NATIVE_INT16, std::vector<std::int16_t>{1, 2, 3, 4, 5, 6});
        writer.attribute("/inputs", "scale_factor", H5T_NATIVE_DOUBLE, std::vector{0.1, 0.2, 0.3});
        writer.add("/others", {2, 3}, H5T_NATIVE_INT16, std::vector<std::int16_t>{1, 2, 3, 4, 5, 6});
        writer.attribute("/others", "add_offset", H5T_NATIVE_DOUBLE, std::vector{1.0, 2.0});
    }

    CHECK(complaint_of([&] { SampleSet::open(location); }) ==
          Contains("set.h5:/inputs has an attribute scale_factor of 3 numbers"));
    CHECK(complaint_of([&] { SampleSet::open(location, {.inputs = {"others"}}); }) ==
          Contains("set.h5:/others has an attribute add_offset of 2 numbers"));
}

TEST_CASE("fill values and limits of 16-bit floats are rounded like the stored numbers") {
    const TemporaryFolder folder;
    const auto location = (folder / "set.h5").string() + ":/";
    {
        Hdf5Writer writer(folder / "set.h5");
        const auto float16 = hdf5::memory_type(ElementType::f16);
        const auto bfloat16 = hdf5::memory_type(ElementType::bf16);
        // -9999 is stored as -10000 with 11 binary digits and as -9984 with 8; 0.1 as 0x2E66 and as 0x3DCD.
        writer.add("/half", {3}, float16.get(), std::vector<std::uint16_t>{0xF0E2, 0x2E66, 0x3C00});
        writer.add("/upper", {3}, bfloat16.get(), std::vector<std::uint16_t>{0xC61C, 0x3DCD, 0x3F80});
        for (const auto* name : {"/half", "/upper"}) {
            writer.attribute(name, "_FillValue", H5T_NATIVE_DOUBLE, std::vector{-9999.0});
            writer.attribute(name, "missing_value", H5T_NATIVE_DOUBLE, std::vector{1e300, 1e-300});
            writer.attribute(name, "valid_max", H5T_NATIVE_DOUBLE, std::vector{0.1});
        }
    }

    const auto half = compute_statistics(location, {.data_sets = {"half"}})[0].channels[0];
    const auto upper = compute_statistics(location, {.data_sets = {"upper"}})[0].channels[0];

    CHECK(half.nan == 2);  // the fill value, and 1 beyond the limit
    CHECK(half.min == 0x1.998p-4);
    CHECK(half.max == 0x1.998p-4);
    CHECK(upper.nan == 2);
    CHECK(upper.min == 0x1.9Ap-4);
    CHECK(upper.max == 0x1.9Ap-4);
    const auto set = SampleSet::open(location, {.inputs = {"half"}, .targets = {}});
    CHECK(to_string(*set->inputs()[0].packing) == "missing -10000, missing inf, missing 0, valid -inf to 0.0999756");
}
