#include "launch/files/last_words.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "launch/files/read_file.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

TEST_CASE("last words are the end of a log, from the beginning of a line") {
    const TemporaryFolder folder;
    const auto log = (folder / "log").string();
    CHECK(last_words(log).empty());
    std::ofstream(log) << std::string(2000, 'x') << "\nout of luck\n\n";

    CHECK(last_words(log) == "out of luck");
    CHECK(last_words(log, 2001) == "out of luck");
    CHECK(last_words(log, 2008) == "luck");
    CHECK(last_words(log, 5000).empty());
}

TEST_CASE("a message leaves out the colours of a program's last words") {
    const TemporaryFolder folder;
    const auto log = (folder / "log").string();
    std::ofstream(log) << "\x1b[1;34mwandb\x1b[0m: no run\n\x1b[0m";

    CHECK(last_words(log) == "wandb: no run");
}

TEST_CASE("a pipe has no last words and is not waited for") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);

    CHECK(last_words(folder / "pipe").empty());
}

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
