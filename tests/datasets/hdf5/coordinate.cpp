#include "datasets/hdf5/coordinate.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "core/check.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using crescendo::InvalidInput;
using doctest::Contains;

TEST_CASE("a coordinate has unpacked numbers, and units stored as a string of fixed or variable length") {
    const TemporaryFolder folder;
    const auto file = folder / "grid.nc";
    {
        const hid_t fixed = H5Tcopy(H5T_C_S1);
        H5Tset_size(fixed, 16);
        const hid_t variable = H5Tcopy(H5T_C_S1);
        H5Tset_size(variable, H5T_VARIABLE);
        Hdf5Writer writer(file, /*latest=*/true);
        writer.add("/grid/packed", {3}, H5T_NATIVE_INT16, std::vector<std::int16_t>{180, 0, -9999},
                   {.chunk = {2}, .deflate = true});
        writer.attribute("/grid/packed", "scale_factor", H5T_NATIVE_DOUBLE, std::vector{0.5});
        writer.attribute("/grid/packed", "_FillValue", H5T_NATIVE_INT16, std::vector<std::int16_t>{-9999});
        writer.attribute("/grid/packed", "units", fixed,
                         std::vector<char>{'d', 'e', 'g', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
        writer.add("/plain", {2}, H5T_NATIVE_FLOAT, std::vector<float>{1.5F, -1}, {.file_type = H5T_IEEE_F32BE});
        writer.attribute("/plain", "units", variable, std::vector{"degrees_north"});
        writer.add("/bare", {1}, H5T_NATIVE_DOUBLE, std::vector{7.0});
        writer.attribute("/bare", "units", H5T_NATIVE_INT, std::vector{1});
        H5Tclose(fixed);
        H5Tclose(variable);
    }

    const auto packed = read_coordinate(file, "/grid/packed");
    const auto plain = read_coordinate(file, "/plain");

    CHECK(packed.name == file.string() + ":/grid/packed");
    CHECK(packed.units == "deg");
    CHECK(packed.values[0] == 90);
    CHECK(packed.values[1] == 0);
    CHECK(std::isnan(packed.values[2]));
    CHECK(plain.units == "degrees_north");
    CHECK(plain.values == std::vector{1.5, -1.0});
    CHECK(read_coordinate(file, "/bare").units.empty());
}

TEST_CASE("a data set that is not one axis of numbers is refused as a coordinate") {
    const TemporaryFolder folder;
    const auto file = folder / "grid.nc";
    {
        Hdf5Writer writer(file);
        writer.add("/table", {2, 2}, H5T_NATIVE_INT, std::vector{1, 2, 3, 4});
        writer.add("/words", {2}, H5T_C_S1, nullptr);
        writer.add("/empty", {0}, H5T_NATIVE_INT, nullptr);
    }

    CHECK_THROWS_WITH_AS(read_coordinate(file, "/table"), Contains(":/table is not a grid coordinate"), InvalidInput);
    CHECK_THROWS_WITH_AS(read_coordinate(file, "/words"), Contains("it has 1 axes, of type string"), InvalidInput);
    CHECK_THROWS_WITH_AS(read_coordinate(file, "/empty"), Contains(":/empty is not a grid coordinate"), InvalidInput);
    CHECK_THROWS_WITH_AS(read_coordinate(file, "/lat"), Contains("has no data set /lat: / holds "), InvalidInput);
    CHECK_THROWS_WITH_AS(read_coordinate(folder / "none.nc", "/lat"), Contains("none.nc: no such file"), InvalidInput);
}
