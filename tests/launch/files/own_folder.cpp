#include "launch/files/own_folder.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>

#include "tests/error_of.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;
namespace fs = std::filesystem;

TEST_CASE("our own folder counts as own, but a link to it or a file does not") {
    const TemporaryFolder folder;
    fs::create_directory_symlink(folder.path(), folder / "link");
    std::ofstream(folder / "file") << "x";

    CHECK(is_own_folder(folder.path()));
    CHECK_FALSE(is_own_folder(folder / "link"));
    CHECK_FALSE(is_own_folder(folder / "file"));
    CHECK_FALSE(is_own_folder(folder / "none"));
    CHECK(crescendo::tests::error_of([&] { require_own_folder(folder / "link", "use --out"); }) == "no error");
}

TEST_CASE("another user's folder is refused with a remedy, also through a link") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root makes folders of other users");
        return;
    }
    const TemporaryFolder folder;
    fs::create_directory(folder / "theirs");
    fs::create_directory_symlink("theirs", folder / "link");
    REQUIRE(::chown((folder / "theirs").c_str(), 12345, 12345) == 0);

    for (const char* name : {"theirs", "link"}) {
        CHECK(crescendo::tests::error_of([&] { require_own_folder(folder / name, "use --out"); }) ==
              (folder / name).string() +
                  ": is another user's folder, so a link in it could redirect output to one of your files; use --out");
    }
}
