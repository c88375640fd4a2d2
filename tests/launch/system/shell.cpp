#include "launch/system/shell.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

TEST_CASE("any text survives bash") {
    for (const std::string text : {"", "a b", "it's", "$(x) `y` \\", "a\nb", "*"}) {
        CHECK(run_tool({"bash", "-c", "printf %s. " + shell_quoted(text)}).output == text + ".");
    }
}

TEST_CASE("a tool that is not there is no success") {
    CHECK(run_tool({"no-such-tool-here"}).code == 127);
    CHECK(run_tool({"bash", "-c", "echo a; echo b >&2; exit 3"}).output == "a\nb");
    CHECK(run_tool({"bash", "-c", "exit 3"}).code == 3);
}

TEST_CASE("a tool does not see the variables that are hidden from it") {
    ::setenv("CRESCENDO_TEST_A", "1", 1);
    ::setenv("CRESCENDO_TEST_B", "2", 1);

    const auto answer = run_tool({"bash", "-c", "echo $CRESCENDO_TEST_A,$CRESCENDO_TEST_B"},
                                 [](std::string_view variable) { return variable == "CRESCENDO_TEST_A=1"; });

    ::unsetenv("CRESCENDO_TEST_A");
    ::unsetenv("CRESCENDO_TEST_B");
    CHECK(answer.output == ",2");
}

TEST_CASE("a program is a file that may be executed, along PATH or by its path") {
    const TemporaryFolder folder;
    const auto file = folder / "text";
    std::ofstream(file) << "no program\n";

    CHECK(is_program("bash"));
    CHECK(is_program("/bin/sh"));
    CHECK_FALSE(is_program("no-such-tool-here"));
    CHECK_FALSE(is_program(file.string()));
    CHECK_FALSE(is_executable(folder.path()));
}
