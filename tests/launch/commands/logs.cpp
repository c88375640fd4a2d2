#include "tests/launch/commands/sweep_file.hpp"

using namespace crescendo::tests;

namespace {

/// A sweep of two trials, each of which prints two lines, the second without a line feed.
struct Printed {
    Printed() {
        write_sweep(folder.path(), "echo hello from $CRESCENDO_TRIAL; printf 'the end'\n"
                                   "echo '{\"resource\": 1, \"metrics\": {\"loss\": 0.5}}' >&$CRESCENDO_FD");
        REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);
    }
    Result logs(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"logs", "s"});
        return run_crescendo(folder.path(), arguments);
    }

    TemporaryFolder folder;
};

}  // namespace

TEST_CASE("logs shows the output of one trial, or of all trials with their numbers") {
    const Printed sweep;

    CHECK(sweep.logs({"1"}).out == "hello from 1\nthe end\n");
    CHECK(sweep.logs({"1", "-n", "1"}).out == "the end\n");
    CHECK(sweep.logs({}).out.starts_with("0: hello from 0\n0: the end\n1: hello from 1\n1: the end\n"));
    CHECK(sweep.logs({"-f"}).out == sweep.logs({}).out);  // the sweep is not running, so there is nothing to wait for
}

TEST_CASE("logs refuses trials that have not started") {
    const Printed sweep;
    const auto result = sweep.logs({"2"});
    CHECK(result.code == 2);
    CHECK(result.err.find("trial 2 has not started: the sweep has started 2 trials") != std::string::npos);
}

TEST_CASE("logs -f shows lines as they come, and ends with its trial") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "echo first; while [ ! -e go ]; do sleep 0.05; done; echo last\n"
                               "echo '{\"resource\": 1, \"metrics\": {\"loss\": 0.5}}' >&$CRESCENDO_FD");
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("the trial prints", [&] { return content_of(folder / "s/trials/000000/trainer.log") == "first\n"; });

    Command one(folder.path(), {"logs", "s", "0", "-f"});
    Command all(folder.path(), {"logs", "s", "-f"});
    await("its line is shown", [&] { return one.out() == "first\n" && all.out() == "0: first\n"; });
    write_file(folder / "go", "");

    CHECK(one.wait() == 0);
    CHECK(one.out() == "first\nlast\n");
    CHECK(run.wait() == 0);
    CHECK(all.wait() == 0);
    CHECK(all.out().starts_with("0: first\n0: last\n"));
}

TEST_CASE("logs says that nothing was printed") {
    const TemporaryFolder folder;
    write_sweep(folder.path());
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);

    const auto all = run_crescendo(folder.path(), {"logs", "s"});

    CHECK(all.code == 0);
    CHECK(all.out == "");
    CHECK(all.err == "crescendo: no trial has printed anything\n");
    CHECK(run_crescendo(folder.path(), {"logs", "s", "1"}).err == "crescendo: trial 1 has printed nothing\n");
}

TEST_CASE("logs -f shows a trial's output once, even if the trial pauses and continues") {
    const TemporaryFolder folder;
    write_file(folder / "train.sh",
               "printf \"begin $CRESCENDO_TRIAL\"\n"
               "[ -e half ] && until [ -e go ]; do sleep 0.05; done; touch half\n"
               "for r in 1 2; do echo \"{\\\"resource\\\": $r, \\\"metrics\\\": {\\\"loss\\\": "
               "0.$r}}\" >&$CRESCENDO_FD\n"
               "read -r d <&$CRESCENDO_FD; case $d in *stop*) exit;; esac; done\n");
    write_file(
        folder / "sweep.yaml",
        "name: s\nmetric: {name: loss, goal: minimize}\nrun_cap: 2\nslots: 1\nparameters: {x: {min: 0.0, max: 1.0}}\n"
        "scheduler: {type: asha, mode: promote, min: 1, max: 2, reduction_factor: 2}\ncommand: [bash, train.sh]\n");
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("the second trial prints", [&] { return content_of(folder / "s/trials/000001/trainer.log") == "begin 1"; });

    Command first(folder.path(), {"logs", "s", "0", "-f"});
    await("the paused trial's line is shown", [&] { return first.out() == "begin 0\n"; });
    write_file(folder / "go", "");

    CHECK(run.wait() == 0);
    CHECK(first.wait() == 0);
    CHECK(first.out() == "begin 0\nbegin 0\n");  // from two processes, each on its own line
}
