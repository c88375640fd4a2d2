#include "core/files/output_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <iterator>
#include <string>

#include "core/files/durable_file.hpp"
#include "core/files/file_descriptor.hpp"
#include "core/files/writing.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using crescendo::tests::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

std::string content_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

void make(const fs::path& path) { std::ofstream(path) << "mine"; }

}  // namespace

TEST_CASE("an output replaces the file with its name, and no other file in the folder") {
    const TemporaryFolder folder;
    for (const char* name : {"page.html", "page.html.tmp", "page.html.tmp.backup", "page.html.new"}) {
        make(folder / name);
    }

    write_output(folder / "page.html", "a page");

    CHECK(content_of(folder / "page.html") == "a page");
    CHECK(content_of(folder / "page.html.tmp") == "mine");
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 4);
}

TEST_CASE("an output to a link goes to the file that the link leads to") {
    const TemporaryFolder folder;
    make(folder / "target");
    fs::create_symlink("target", folder / "link");

    write_output(folder / "link", "a page");

    CHECK(fs::is_symlink(folder / "link"));
    CHECK(content_of(folder / "target") == "a page");
}

TEST_CASE("an output has the permissions of the file that it replaces") {
    const TemporaryFolder folder;
    make(folder / "page.html");
    fs::permissions(folder / "page.html", fs::perms{0600});

    write_output(folder / "page.html", "a page");

    CHECK(fs::status(folder / "page.html").permissions() == fs::perms{0600});
}

TEST_CASE("an output has the group of the file that it replaces") {
    const TemporaryFolder folder;
    const auto page = folder / "page.html";
    make(page);
    if (::chown(page.c_str(), static_cast<uid_t>(-1), ::getegid() + 1) != 0) {
        MESSAGE("skipped: only root gives files to any group");
        return;
    }
    fs::permissions(page, fs::perms{0640});

    write_output(page, "a page");

    struct stat status {};
    REQUIRE(::stat(page.c_str(), &status) == 0);
    CHECK(status.st_gid == ::getegid() + 1);
    CHECK((status.st_mode & 0777U) == 0640U);
}

TEST_CASE("an output does not follow a link that has the name of its temporary file") {
    const TemporaryFolder folder;
    make(folder / "mine");
    fs::create_symlink("mine", own_name(folder / "page.html", "new"));

    write_output(folder / "page.html", "a page");

    CHECK(content_of(folder / "mine") == "mine");
    CHECK(content_of(folder / "page.html") == "a page");
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("an output that the user did not name replaces a link or a pipe that others put there") {
    const TemporaryFolder folder;
    make(folder / "mine");
    fs::create_symlink("mine", folder / "link");
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);

    replace_output(folder / "link", "a page");
    replace_output(folder / "pipe", "a page");

    CHECK(content_of(folder / "mine") == "mine");
    CHECK(fs::is_regular_file(fs::symlink_status(folder / "link")));
    CHECK(content_of(folder / "pipe") == "a page");
}

TEST_CASE("an output is written into a pipe or a device") {
    const TemporaryFolder folder;
    const auto pipe = folder / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    auto reader = std::async(std::launch::async, [&] { return content_of(pipe); });

    write_output(pipe, "a page");

    CHECK(reader.get() == "a page");
    CHECK(fs::is_fifo(pipe));
    CHECK_THROWS_AS(write_output("/dev/full", "a page"), WriteError);
    CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("an output to a file that is open, such as /dev/stdout, is added to it") {
    const TemporaryFolder folder;
    make(folder / "pages");
    const FileDescriptor pages(::open((folder / "pages").c_str(), O_WRONLY | O_CLOEXEC));

    write_output("/dev/fd/" + std::to_string(pages.get()), " and a page");

    CHECK(content_of(folder / "pages") == "mine and a page");
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("an output that cannot be written changes nothing") {
    const TemporaryFolder folder;

    CHECK_THROWS_AS(write_output(folder / "no folder/page.html", "a page"), WriteError);
    CHECK_THROWS_AS(write_output(folder.path(), "a page"), WriteError);
    CHECK(fs::is_empty(folder.path()));
}
