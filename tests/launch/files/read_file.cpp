#include "launch/files/read_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/error_of.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;
namespace fs = std::filesystem;

TEST_CASE("written text is read back") {
    const TemporaryFolder folder;
    const std::string bytes(100'000, 'x');
    std::ofstream(folder / "file") << bytes;

    CHECK(read_file(folder / "file") == bytes);
    CHECK(read_regular_file(folder / "file") == bytes);
    CHECK(read_file("/dev/null").empty());
}

TEST_CASE("a pipe or a device in place of a file is refused, because a user would wait for it endlessly") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    fs::create_symlink("/dev/zero", folder / "zero");

    for (const char* name : {"pipe", "zero"}) {
        CHECK(crescendo::tests::error_of([&] { read_regular_file(folder / name); }) ==
              "cannot read " + (folder / name).string() +
                  ": it is not a regular file, and Crescendo writes only regular files here; remove it");
    }
}

TEST_CASE("the error for a missing relative path says where relative paths start") {
    CHECK(crescendo::tests::error_of([&] { read_file("none"); }) ==
          "cannot read none: No such file or directory; relative paths start at " + fs::current_path().string());
}

TEST_CASE("the error for a missing file or a folder gives the system's reason") {
    const TemporaryFolder folder;

    for (const auto& read : {read_file, read_regular_file}) {
        CHECK(crescendo::tests::error_of([&] { read(folder / "none"); }) ==
              "cannot read " + (folder / "none").string() + ": No such file or directory");
        CHECK(crescendo::tests::error_of([&] { read(folder.path()); }) ==
              "cannot read " + folder.path().string() + ": Is a directory; give a file in it");
    }
}
