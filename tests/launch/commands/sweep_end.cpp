#include <fmt/format.h>

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

TEST_CASE("a session of scripts for W&B that never log the metric says where to look") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "exit 0");
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: loss}\nmethod: random\nparameters: {x: {min: 1, max: 2}}\n"
               "command: [bash, train.sh, crescendo.wandb]\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK(contains(run.out, "The script never gave loss to wandb.log."));
    CHECK_FALSE(contains(run.out, "A program reports by"));
}

TEST_CASE("a session of programs whose imports fail says what to do") {
    for (const auto& [words, advice] :
         {std::pair("ModuleNotFoundError: No module named 'crescendo'", "pip install path/to/crescendo/python"),
          {"ModuleNotFoundError: No module named 'torch'", "call `crescendo run` in the\nenvironment where the script"},
          {"AttributeError: module 'crescendo' has no attribute 'trial'", "Rename that one"}}) {
        CAPTURE(words);
        const TemporaryFolder folder;
        write_sweep(folder.path(), fmt::format("echo \"{}\"; exit 1", words));

        const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

        CHECK(run.code == 1);
        CHECK(contains(run.out, advice));
    }
}
