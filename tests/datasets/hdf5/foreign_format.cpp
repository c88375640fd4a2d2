#include "datasets/hdf5/foreign_format.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "datasets/samples/sample_set.hpp"
#include "datasets/sources/open_source.hpp"
#include "tests/datasets/files.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

TEST_CASE("a file of another format is refused with a way to convert it") {
    const TemporaryFolder folder;
    for (const auto& [begin, remedy] : {std::pair<std::string, const char*>{"CDF\x01 of xarray and SciPy", "nccopy"},
                                        {"MATLAB 5.0 MAT-file, Platform", "'-v7.3'"},
                                        {"GRIB\x02 of a forecast", "cdo -f nc4 copy"},
                                        {"\x0e\x03\x13\x01 of MODIS", "h4toh5convert"}}) {
        const auto file = folder / "data.nc";
        write_bytes(file, std::as_bytes(std::span(begin)));

        CHECK(foreign_format(file).c_str() == Contains(remedy));
        CHECK(complaint_of([&] { SampleSet::open(file.string() + ":/"); }) == Contains(remedy));
        CHECK(complaint_of([&] { open_source({file.string()}, {}); }) == Contains(remedy));
    }
}

TEST_CASE("a Zarr folder is refused as Zarr, with the advice to write NetCDF-4") {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "era5.zarr");
    write_bytes(folder / "era5.zarr/.zgroup", {});

    CHECK(complaint_of([&] { SampleSet::open((folder / "era5.zarr").string() + ":/"); }) ==
          Contains("era5.zarr is a folder, not an HDF5 file: it is Zarr; write it as NetCDF-4"));
}

TEST_CASE("short files, missing files and plain folders have no foreign format") {
    const TemporaryFolder folder;
    write_bytes(folder / "short", {});

    CHECK(foreign_format(folder / "short").empty());
    CHECK(foreign_format(folder / "missing").empty());
    CHECK(foreign_format(folder / ".").empty());
}
