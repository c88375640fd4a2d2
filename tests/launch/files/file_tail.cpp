#include "launch/files/file_tail.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

using Lines = std::vector<std::string>;

namespace {

void append(const std::filesystem::path& file, const std::string& text) { std::ofstream(file, std::ios::app) << text; }

}  // namespace

TEST_CASE("each line appended to a file is returned once, when it is complete") {
    const TemporaryFolder folder;
    const auto file = folder / "log";
    append(file, "old\n");
    FileTail tail(file, FileTail::From::end);
    FileTail whole(file, FileTail::From::beginning);

    CHECK(tail.lines().empty());
    append(file, "one\ntw");
    CHECK(tail.lines() == Lines{"one"});
    append(file, "o\n\n 5 %\r10 %\rrest");
    CHECK(tail.lines() == Lines{"two", "", " 5 %", "10 %"});
    CHECK(tail.lines().empty());
    CHECK(tail.rest() == "rest");
    CHECK(whole.lines() == Lines{"old", "one", "two", "", " 5 %", "10 %"});
}

TEST_CASE("the last lines of a long log are found without reading all of it") {
    const TemporaryFolder folder;
    const auto file = folder / "log";
    append(file, std::string(70'000, 'x') + "\none\n 5 %\r10 %\ntwo");

    CHECK(begin_of_last_lines(file, 1) == 70'001 + 4);  // two lines end with the last line feed, and "two" may be whole
    CHECK(begin_of_last_lines(file, 2) == 70'001);
    CHECK(begin_of_last_lines(file, 3) == 0);
    CHECK(begin_of_last_lines(file, 1000) == 0);
    CHECK(begin_of_last_lines(folder / "none", 1) == 0);
}

TEST_CASE("lines that existed at the start come first and are counted, until the file is replaced") {
    const TemporaryFolder folder;
    const auto file = folder / "log";
    append(file, "one\ntwo\n");
    FileTail appended(file, FileTail::From::beginning);
    FileTail renamed(file, FileTail::From::beginning);
    FileTail end(file, FileTail::From::end);

    append(file, "three\n");
    CHECK(appended.lines().size() == 3);
    CHECK(appended.num_earlier() == 2);
    CHECK(appended.lines().empty());
    CHECK(appended.num_earlier() == 0);
    CHECK(end.lines() == Lines{"three"});
    CHECK(end.num_earlier() == 0);

    append(folder / "new", "one\ntwo\n");
    std::filesystem::rename(folder / "new", file);
    CHECK(renamed.lines() == Lines{"one", "two", "three", "one", "two"});
    CHECK(renamed.num_earlier() == 2);
    CHECK(renamed.first_size() == 0);
}

TEST_CASE("a file that is rewritten before the first read has no earlier lines") {
    const TemporaryFolder folder;
    const auto file = folder / "log";
    append(file, "one\ntwo\n");
    FileTail longer(file, FileTail::From::beginning);
    FileTail shorter(file, FileTail::From::beginning);

    std::ofstream(file, std::ios::trunc) << "three\nfour\n";
    CHECK(longer.lines() == Lines{"three", "four"});
    CHECK(longer.num_earlier() == 0);
    std::ofstream(file, std::ios::trunc) << "5\n";
    CHECK(shorter.lines() == Lines{"5"});
    CHECK(shorter.num_earlier() == 0);
}

TEST_CASE("text without a line end counts as a line when the file is rewritten, if it is whole") {
    const TemporaryFolder folder;
    const auto file = folder / "log";
    FileTail tail(file, FileTail::From::beginning, FileTail::no_limit,
                  [](const std::string& line) { return line.ends_with('}'); });
    const auto write_anew = [&](const std::string& text) { std::ofstream(file, std::ios::trunc) << text; };

    write_anew("{1}");
    CHECK(tail.lines().empty());
    write_anew("{2");
    CHECK(tail.lines() == Lines{"{1}"});
    write_anew("{3}\n{4");
    CHECK(tail.lines() == Lines{"{3}"});
    CHECK(tail.rest().empty());
}

TEST_CASE("a file may appear later and may be rewritten") {
    const TemporaryFolder folder;
    const auto file = folder / "log";
    FileTail tail(file, FileTail::From::end);

    CHECK(tail.lines().empty());
    append(file, "one\ntwo\n");
    CHECK(tail.lines() == Lines{"one", "two"});
    std::ofstream(file, std::ios::trunc) << "new\n";
    CHECK(tail.lines() == Lines{"new"});
}

TEST_CASE("a file rewritten in place is read again, whether it has the same length, is longer or lacks a line end") {
    const TemporaryFolder folder;
    const auto file = folder / "metrics.json";
    FileTail tail(file, FileTail::From::beginning);
    const auto write_anew = [&](const std::string& text) { std::ofstream(file, std::ios::trunc) << text; };

    for (const char* line : {"{9}", "{8}", "{10}", "{11, 12}"}) {
        write_anew(std::string(line) + "\n");
        CHECK(tail.lines() == Lines{line});
        CHECK(tail.lines().empty());
    }
    write_anew("{13}");
    CHECK(tail.lines().empty());
    write_anew("{14}");
    CHECK(tail.lines() == Lines{"{13}"});
    write_anew("{14}\n{15}\n");  // the beginning is the same as before
    CHECK(tail.lines() == Lines{"{14}", "{15}"});
}

TEST_CASE("a rewritten long file is recognized by its last bytes") {
    const TemporaryFolder folder;
    const auto file = folder / "log";
    const std::string much = std::string(200'000, 'x') + "\n";
    append(file, much + "one\n");
    FileTail tail(file, FileTail::From::beginning);
    CHECK(tail.lines().size() == 2);

    std::ofstream(file, std::ios::trunc) << much << "two\n";

    const auto lines = tail.lines();
    REQUIRE(lines.size() == 2);
    CHECK(lines[1] == "two");
}

TEST_CASE("a pipe has no lines and is not waited for") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);

    FileTail tail(folder / "pipe", FileTail::From::beginning);

    CHECK(tail.lines().empty());
    CHECK_FALSE(tail.has_more());
}

TEST_CASE("empty lines are lines, and a carriage return before a line feed does not end another line") {
    const TemporaryFolder folder;
    append(folder / "log", "one\r\n\r\n\n\r5 %\r10 %\n");
    FileTail tail(folder / "log", FileTail::From::beginning);

    CHECK(tail.lines() == Lines{"one", "", "", "5 %", "10 %"});
}

TEST_CASE("reading continues when another file is renamed over the old one, whose last line then counts as complete") {
    const TemporaryFolder folder;
    const auto file = folder / "log";
    append(file, "one\ntwo");
    FileTail tail(file, FileTail::From::beginning);

    CHECK(tail.lines() == Lines{"one"});
    append(file, " and a half\nthree");
    append(folder / "new", "four, longer than all lines before\n");
    std::filesystem::rename(folder / "new", file);
    CHECK(tail.lines() == Lines{"two and a half", "three", "four, longer than all lines before"});
    append(file, "five\n");
    CHECK(tail.lines() == Lines{"five"});
    std::filesystem::remove(file);
    CHECK(tail.lines().empty());
    append(file, "six\n");
    CHECK(tail.lines() == Lines{"six"});
}

TEST_CASE("a large file is read in pieces, and no line is lost when another file takes its name") {
    const TemporaryFolder folder;
    const auto file = folder / "log";
    std::string text;
    for (int i = 0; i < 400'000; ++i) {
        text += std::to_string(i) + "\n";  // 2.7 MB
    }
    append(file, text);
    FileTail tail(file, FileTail::From::beginning);

    auto lines = tail.lines();
    CHECK(tail.has_more());
    CHECK(lines.size() < 300'000);
    append(folder / "new", "last\n");
    std::filesystem::rename(folder / "new", file);
    int num_pieces = 1;
    for (; tail.has_more(); ++num_pieces) {
        std::ranges::move(tail.lines(), std::back_inserter(lines));
    }

    CHECK(num_pieces == 3);
    REQUIRE(lines.size() == 400'001);
    CHECK(lines[399'999] == "399999");
    CHECK(lines.back() == "last");
}

TEST_CASE("a line is whole unless it is longer than the limit, which cuts it") {
    const TemporaryFolder folder;
    const auto file = folder / "log";
    append(file, std::string(1'000'000, 'x') + "\nshort\n");
    FileTail tail(file, FileTail::From::beginning, 4096);
    FileTail whole(file, 0);

    CHECK(tail.lines() == Lines{std::string(4096, 'x'), "short"});
    CHECK(whole.lines() == Lines{std::string(1'000'000, 'x'), "short"});
}

TEST_CASE("a file can be read from the offset where an earlier read ended") {
    const TemporaryFolder folder;
    const auto file = folder / "log";
    append(file, "one\nhalf");
    FileTail first(file, FileTail::From::beginning);
    CHECK(first.lines() == std::vector<std::string>{"one"});
    CHECK(first.rest() == "half");

    append(file, "\ntwo\n");
    FileTail second(file, first.offset());

    CHECK(second.lines() == Lines{"two"});
    CHECK(first.lines() == Lines{"two"});
    append(file, "\nthree\n");
    FileTail third(file, second.offset());
    CHECK(third.lines() == Lines{"", "three"});
}
