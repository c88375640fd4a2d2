#include "launch/export/export_formats.hpp"

#include <doctest/doctest.h>

#include "tests/error_of.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("files can be added to a folder with other files, but an existing file with other content is an error") {
    const TemporaryFolder folder;
    const Files files{{"a/one", "1"}, {"two", "2"}};
    add_to_folder(folder / "out", files);
    add_to_folder(folder / "out", files);

    const auto error = error_of([&] { add_to_folder(folder / "out", {{"three", "3"}, {"two", "other"}}); });

    CHECK(error.find("out/two: already exists with other content") != std::string::npos);
    CHECK(error_of([&] { add_to_folder("/dev/null", files); }).find("is a file, but an export is a folder") !=
          std::string::npos);
    CHECK(!std::filesystem::exists(folder / "out/three"));
    CHECK(std::filesystem::exists(folder / "out/a/one"));
}
