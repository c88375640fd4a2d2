#include "tests/contains.hpp"
#include "tests/launch/commands/sweep_file.hpp"

using namespace crescendo::tests;

TEST_CASE("a session of programs that end without a report explains what a report is") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "exit 0");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK(contains(run.out, "A program reports by a line of JSON"));
    CHECK(contains(run.out, "report: {pattern: 'epoch (?P<resource>\\d+).*loss=(?P<loss>\\S+)'}"));
    CHECK(contains(run.out, "crescendo resume s --retry-failed"));
}

TEST_CASE("a session of programs that lack the Python package says where it is") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "echo \"ModuleNotFoundError: No module named 'crescendo'\"; exit 1");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK(contains(run.out, "pip install path/to/crescendo/python"));
}
