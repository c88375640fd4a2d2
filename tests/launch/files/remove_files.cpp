#include "launch/files/remove_files.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <string>

#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

bool any(std::string_view) { return true; }

void write_text(const fs::path& file) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "content";
}

std::set<std::string> files_in(const fs::path& folder) {
    std::set<std::string> files;
    for (const auto& each : fs::recursive_directory_iterator(folder)) {
        files.insert(each.path().lexically_relative(folder));
    }
    return files;
}

}  // namespace

TEST_CASE("files with matching names are removed with everything below them, and the folder stays") {
    const TemporaryFolder folder;
    for (const auto* file : {"params.json", "a/params.json", "a/b/c", "d"}) {
        write_text(folder / file);
    }
    fs::create_directory(folder / "empty");

    const auto removed = remove_files(folder.path(), [](auto name) { return name != "params.json"; });

    CHECK(files_in(folder.path()) == std::set<std::string>{"params.json"});
    CHECK(removed.files == 6);  // a/params.json, a/b/c, d, and the folders a, a/b and empty
    CHECK(removed.bytes >= 3 * 512);
    CHECK(removed.left == 0);
    CHECK(removed.is_done);
}

TEST_CASE("links are removed but not followed, and a folder that is itself a link is left alone") {
    const TemporaryFolder folder;
    write_text(folder / "elsewhere/precious");
    fs::create_directory(folder / "trial");
    fs::create_directory_symlink(folder / "elsewhere", folder / "trial/folder");
    fs::create_symlink(folder / "elsewhere/precious", folder / "trial/file");
    fs::create_symlink("nowhere", folder / "trial/broken");
    fs::create_directory_symlink(folder / "elsewhere", folder / "linked-trial");

    CHECK(remove_files(folder / "trial", any).files == 3);
    CHECK(remove_files(folder / "linked-trial", any).files == 0);

    CHECK(files_in(folder.path()) ==
          std::set<std::string>{"elsewhere", "elsewhere/precious", "trial", "linked-trial"});
}

TEST_CASE("files of other users stay") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root can give files away");
        return;
    }
    const TemporaryFolder folder;
    for (const auto* file : {"mine", "theirs", "shared/mine", "shared/theirs", "their-folder/mine"}) {
        write_text(folder / file);
    }
    for (const auto* file : {"theirs", "shared/theirs", "their-folder"}) {
        REQUIRE(::chown((folder / file).c_str(), 12345, 12345) == 0);
    }

    const auto removed = remove_files(folder.path(), any);

    CHECK(files_in(folder.path()) ==
          std::set<std::string>{"theirs", "shared", "shared/theirs", "their-folder", "their-folder/mine"});
    CHECK(removed.files == 2);
    CHECK(removed.is_done);
    REQUIRE(::chown(folder.path().c_str(), 12345, 12345) == 0);
    write_text(folder / "more");
    CHECK(remove_files(folder.path(), any).files == 0);
}

TEST_CASE("if the time is up at once, each call still removes something until all is done") {
    const TemporaryFolder folder;
    for (int i = 0; i < 5; ++i) {
        write_text(folder / "a" / std::to_string(i));
    }

    int num_calls = 1;
    while (!remove_files(folder.path(), any, Removal::perform, {}).is_done) {
        REQUIRE(++num_calls < 10);
    }

    CHECK(files_in(folder.path()).empty());
    CHECK(num_calls > 1);
}

TEST_CASE("a pretended removal counts the files without removing them") {
    const TemporaryFolder folder;
    write_text(folder / "a/b");

    const auto would = remove_files(folder.path(), any, Removal::pretend);

    CHECK(would.files == 2);
    CHECK(files_in(folder.path()) == std::set<std::string>{"a", "a/b"});
    CHECK(remove_files(folder.path(), any).bytes == would.bytes);
}

TEST_CASE("a missing folder has nothing to remove") {
    const TemporaryFolder folder;
    CHECK(remove_files(folder / "none", any).is_done);
}
