#include "tests/contains.hpp"
#include "tests/e2e/command.hpp"

using namespace crescendo::tests;

TEST_CASE("a build without HDF5 says so when the user asks for a data set") {
    const TemporaryFolder folder;

    const auto result = run_crescendo(folder.path(), {"data", "inspect", "flow.h5", "--format", "json"});

    CHECK(result.code == 2);
    CHECK(contains(result.err, "data: this crescendo was built without HDF5"));
}
