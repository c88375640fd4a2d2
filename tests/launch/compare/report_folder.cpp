#include "launch/compare/report_folder.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "core/files/writing.hpp"
#include "tests/error_of.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;
namespace fs = std::filesystem;

namespace {

std::ptrdiff_t num_entries(const fs::path& folder) {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

}  // namespace

TEST_CASE("a folder appears with all its files, even in place of an empty one") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "empty");

    write_folder(folder / "new/", {{"a.csv", "1\n"}, {"b.csv", "2\n"}});
    write_folder(folder / "empty", {{"a.csv", "1\n"}});

    CHECK(fs::file_size(folder / "new/a.csv") == 2);
    CHECK(num_entries(folder / "new") == 2);
    CHECK(num_entries(folder / "empty") == 1);
    CHECK(num_entries(folder.path()) == 2);  // and nothing else
}

TEST_CASE("existing files and folders are not overwritten") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "full");
    std::ofstream(folder / "full/mine.txt") << "mine";
    std::ofstream(folder / "file") << "mine";

    for (const char* name : {"full", "full/", "file"}) {
        CHECK(error_of([&] {
                  write_folder(folder / name, {{"a.csv", ""}});
              }).find("already exists and would be overwritten") != std::string::npos);
    }
    CHECK(error_of([&] { write_folder(folder / "no/where", {}); }).find("its parent folder") != std::string::npos);
    CHECK(num_entries(folder / "full") == 1);
    CHECK(num_entries(folder.path()) == 2);
}

TEST_CASE("nothing is written through a link that has the name of the unfinished folder") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "mine");
    fs::create_directory_symlink("mine", crescendo::own_name(folder / "new", "partial"));

    CHECK(error_of([&] {
              write_folder(folder / "new", {{"a.csv", ""}});
          }).find("already exists; remove it") != std::string::npos);
    CHECK(num_entries(folder / "mine") == 0);
    CHECK(num_entries(folder.path()) == 2);
}

TEST_CASE("if one file cannot be written, there is no folder") {
    const TemporaryFolder folder;

    CHECK_THROWS(write_folder(folder / "new", {{"a.csv", "1\n"}, {"no/such/folder.csv", "2\n"}}));

    CHECK(num_entries(folder.path()) == 0);
}
