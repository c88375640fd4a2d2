#include "datasets/system/file_pattern.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "core/check.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::datasets;
using namespace crescendo::tests;
using doctest::Contains;

namespace fs = std::filesystem;

TEST_CASE("a pattern stands for the files that match, sorted by name") {
    const TemporaryFolder folder;
    for (const char* name : {"b.nc", "a.nc", "c.h5", "_.nc.stats.json"}) {
        std::ofstream(folder / name) << name;
    }
    fs::create_directory(folder / "d.nc");

    CHECK(files_named(folder / "*.nc") == std::vector{folder / "a.nc", folder / "b.nc"});
    CHECK(files_named(folder / "*") == std::vector{folder / "a.nc", folder / "b.nc", folder / "c.h5"});
    CHECK(files_named(folder / "[ac].??") == std::vector{folder / "a.nc", folder / "c.h5"});
    CHECK_THROWS_WITH_AS(files_named(folder / "*.hdf"), Contains("no file matches"), crescendo::InvalidInput);
}

TEST_CASE("a name without a wildcard, or of an existing file, stands for that file") {
    const TemporaryFolder folder;
    std::ofstream(folder / "a*.nc") << "a";
    std::ofstream(folder / "ab.nc") << "b";

    CHECK(files_named("absent.nc") == std::vector<fs::path>{"absent.nc"});
    CHECK(files_named(folder / "a*.nc") == std::vector{folder / "a*.nc"});
}

TEST_CASE("the name for all files of a pattern is in the folder that they have in common") {
    CHECK(name_for_all("era5/*.nc") == "era5/_.nc");
    CHECK(name_for_all("era5/*/t[0-9].nc") == "era5/__t_0-9_.nc");
    CHECK(name_for_all("*.nc") == "_.nc");
}
