#include <fmt/format.h>

#include "tests/contains.hpp"
#include "tests/launch/commands/sweep_file.hpp"

using namespace crescendo::tests;

TEST_CASE("a session explains what a report is if its programs end without one") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "exit 0");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK(contains(run.out, "A program reports by writing a line of JSON"));
    CHECK(contains(run.out, "report: {pattern: 'epoch (?P<resource>\\d+).*loss=(?P<loss>[^\\s,]+)'}"));
    CHECK(contains(run.out, "crescendo resume s --retry-failed"));
}

TEST_CASE("a session says where to look if its scripts for W&B never log the metric") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "exit 0");
    write_file(folder / "sweep.yaml",
               "name: s\nmetric: {name: loss}\nmethod: random\nparameters: {x: {min: 1, max: 2}}\n"
               "command: [bash, train.sh, crescendo.wandb]\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK(contains(run.out, "The script never passed loss to wandb.log."));
    CHECK_FALSE(contains(run.out, "A program reports by"));
}

TEST_CASE("a session says what to do if the imports of its programs fail") {
    for (const auto& [words, advice] :
         {std::pair("ModuleNotFoundError: No module named 'crescendo'", "pip install path/to/crescendo/python"),
          {"ModuleNotFoundError: No module named 'torch'", "call `crescendo run` in the environment where the script"},
          {"AttributeError: module 'crescendo' has no attribute 'trial'", "in the folder where it runs. Rename it"}}) {
        CAPTURE(words);
        const TemporaryFolder folder;
        write_sweep(folder.path(), fmt::format("echo \"{}\"; exit 1", words));

        const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

        CHECK(run.code == 1);
        CHECK(contains(run.out, advice));
    }
}

TEST_CASE("a session names the adapter if its programs call wandb in a module of their own") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "echo wandb: You can sync this run to the cloud");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK(contains(run.out, "to receive what it passes to wandb.log"));
    CHECK_FALSE(contains(run.out, "A program reports by"));
}

TEST_CASE("last words do not control the terminal") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "printf '\\033[1mno data\\033c\\n'; exit 1");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(contains(run.out, "the last failure: exit status 1; last words: no data\\x1bc"));
    CHECK(run.out.find('\x1b') == std::string::npos);
}

TEST_CASE("a wrong sweep file can be fixed and run again with the commands on the screen") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "exit 1");
    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});
    write_sweep(folder.path());
    write_file(folder / "sweep.yaml", content_of(folder / "sweep.yaml") + "# mended\n");

    const auto again = run_crescendo(folder.path(), {"run", "sweep.yaml"});
    fs::remove_all(folder / "s");
    const auto anew = run_crescendo(folder.path(), {"run", "sweep.yaml"});
    write_file(folder / "sweep.yaml", content_of(folder / "sweep.yaml") + "# once more\n");
    const auto after_reports = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(contains(run.out,
                   "  rm -r s; crescendo run FILE        starts over with your file, if that has to change; resume "
                   "keeps using s/sweep.yaml\n"));
    CHECK(contains(again.err, "no trial has reported yet, so unless it is running, `rm -r s` loses nothing"));
    CHECK(anew.code == 0);
    CHECK(contains(after_reports.err, "which differs from this one"));
    CHECK_FALSE(contains(after_reports.err, "rm -r"));
}
