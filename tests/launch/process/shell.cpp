#include "launch/process/shell.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

TEST_CASE("a missing tool has the exit code 127, and a failing tool has its own exit code and words") {
    CHECK(run_tool({"no-such-tool-here"}).code == 127);
    CHECK(run_tool({"bash", "-c", "echo b >&2; echo a; exit 3"}).words() == "a\nb");
    CHECK(run_tool({"bash", "-c", "exit 3"}).code == 3);
}

TEST_CASE("a tool's warnings are not a part of its output") {
    const auto result = run_tool({"bash", "-c", "echo a warning >&2; echo output"});

    CHECK(result.output == "output");
    CHECK(result.errors == "a warning");
}

TEST_CASE("a tool may read or ignore its input, and a tool that never ends is killed") {
    const std::string long_text(1 << 20, 'x');  // more than a pipe holds

    CHECK(run_tool({"wc", "-c"}, {.input = long_text}).output == "1048576");
    CHECK(run_tool({"true"}, {.input = long_text}).success());
    const auto killed = run_tool({"sleep", "1000"}, {.patience = std::chrono::seconds(0)});
    CHECK(killed.code == 128 + 9);
    CHECK(killed.errors == "sleep did not answer for 0 s");
    CHECK(killed.is_late);
    CHECK_FALSE(run_tool({"false"}).is_late);
}

TEST_CASE("a tool does not see variables that are hidden from it") {
    ::setenv("CRESCENDO_TEST_A", "1", 1);
    ::setenv("CRESCENDO_TEST_B", "2", 1);

    const auto answer = run_tool({"bash", "-c", "echo $CRESCENDO_TEST_A,$CRESCENDO_TEST_B"},
                                 {.hides = [](std::string_view name) { return name == "CRESCENDO_TEST_A"; }});

    ::unsetenv("CRESCENDO_TEST_A");
    ::unsetenv("CRESCENDO_TEST_B");
    CHECK(answer.output == ",2");
}

TEST_CASE("a program is an executable file, found in PATH or by its path") {
    const TemporaryFolder folder;
    const auto file = folder / "text";
    std::ofstream(file) << "no program\n";

    CHECK(is_program("bash"));
    CHECK(is_program("/bin/sh"));
    CHECK_FALSE(is_program("no-such-tool-here"));
    CHECK_FALSE(is_program(std::string(300, 'x')));  // not a possible file name, so the system refuses to look
    CHECK_FALSE(is_program(file.string()));
    CHECK_FALSE(is_executable(folder.path()));
}
