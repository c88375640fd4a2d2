#include "launch/files/last_line.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "launch/files/read_file.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

TEST_CASE("the last line of a file is ended once, and a missing file is not created") {
    const TemporaryFolder folder;
    const std::string path = folder / "log";

    CHECK_FALSE(end_last_line(path));
    CHECK_FALSE(std::filesystem::exists(path));
    std::ofstream(path) << "one\nhalf";
    CHECK(end_last_line(path));
    CHECK_FALSE(end_last_line(path));
    CHECK(read_file(path) == "one\nhalf\n");
    std::ofstream(path, std::ios::trunc).close();
    CHECK_FALSE(end_last_line(path));
    CHECK(read_file(path).empty());
}
