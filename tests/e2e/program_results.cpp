/// The decisions, the end and the final messages of sweeps over programs, in one process.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/e2e/program_sweep.hpp"

using namespace crescendo::tests;

TEST_CASE("a program that does not use its parameters is noticed while it runs") {
    const TemporaryFolder folder;
    write_sweep(folder.path());
    write_file(folder / "train.sh",
               "echo '{\"resource\": 9, \"metrics\": {\"loss\": 0.5}}' >&$CRESCENDO_FD; read -r reply <&$CRESCENDO_FD");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 0);
    CHECK_MESSAGE(run.out.find("three trials with different parameters report the same numbers") != std::string::npos,
                  run.out);
}

TEST_CASE("booleans reach a program as Python writes them, and its folder as JSON") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "echo \"$@\" >> arguments");
    auto sweep = content_of(folder / "sweep.yaml");
    sweep.insert(sweep.find("x: {min"), "nesterov: {value: true}, resume: {value: false}, ");
    write_file(folder / "sweep.yaml", sweep);
    write_file(folder / "train.sh",
               "echo \"$@\" >> arguments; "
               "echo '{\"resource\": 9, \"metrics\": {\"loss\": 1}}' >&$CRESCENDO_FD\n");

    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);

    CHECK(content_of(folder / "arguments").starts_with("--nesterov=True --resume=False --x="));
    CHECK(Json::parse(content_of(folder / "bash/trials/000000/params.json")).at("nesterov") == true);
}

TEST_CASE("a program can report by lines of JSON in its own file") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), ":", "report: {file: reports.jsonl}\n", "fifo");
    write_file(folder / "train.sh",
               "for r in {1..9}; do echo '{\"resource\": '$r', \"metrics\": {\"loss\": 1}}'; done "
               "> $CRESCENDO_TRIAL_DIR/reports.jsonl\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, (run.out + run.err));
    CHECK(resources_by_trial(folder / "bash").at(0) == std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("a NaN loss makes a bad trial, not an error") {
    const TemporaryFolder folder;
    write_sweep(folder.path(),
                "[ $CRESCENDO_TRIAL = 1 ] && { echo '{\"resource\":1,\"metrics\":{\"loss\":NaN}}' >&$CRESCENDO_FD; "
                "read -r reply <&$CRESCENDO_FD; exit 0; }");

    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);

    const auto trials = trials_of(folder.path());
    CHECK(trials.at(1).at("failures") == 0);
    CHECK(trials.at(1).at("loss").is_null());
    CHECK(best_of(folder.path()).at("trial") != 1);
}

TEST_CASE("a sweep in which every loss is NaN does not claim that nothing was reported") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "echo '{\"resource\":9,\"metrics\":{\"loss\":NaN}}' >&$CRESCENDO_FD; exit 0");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});
    const auto best = run_crescendo(folder.path(), {"best", "bash"});
    const auto exported = run_crescendo(folder.path(), {"best", "bash", "--export", "winner"});

    CHECK(run.code == 0);
    CHECK_MESSAGE(run.out.find("no trial has a finite loss") != std::string::npos, run.out);
    CHECK(best.out == "no trial has a finite loss\n");
    CHECK_MESSAGE(exported.err.find("so there is none to export") != std::string::npos, exported.err);
}

TEST_CASE("a hint says that all programs ended before the first rung, so that no trial was judged") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "[ $r = 5 ] && exit 0");
    auto sweep = content_of(folder / "sweep.yaml");
    write_file(folder / "sweep.yaml", sweep.replace(sweep.find("min: 1, max: 9,"), 15, "min: 6, max: 99,"));

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE(run.code == 0);
    const auto* hint = "no trial was judged: all programs ended at 4 or earlier, before the first rung at 6; ";
    CHECK_MESSAGE(run.out.find(hint) != std::string::npos, run.out);
    CHECK(status_of(folder.path()).at("hint").get<std::string>().starts_with(hint));
}

TEST_CASE("a hint says that all programs ended before max") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "[ $r = 5 ] && exit 0");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE(run.code == 0);
    const auto* hint = "no trial reached scheduler.max, which is 9: all programs ended at 4 or earlier; ";
    CHECK_MESSAGE(run.out.find(hint) != std::string::npos, run.out);
}

TEST_CASE("a note says that trials cannot start with all of their workers") {
    const TemporaryFolder folder;
    write_sweep(folder.path());
    auto sweep = content_of(folder / "sweep.yaml");
    write_file(folder / "sweep.yaml", sweep.replace(sweep.find("min: 1, max: 9,"), 15, "min: 1, max: 9, workers: 3,"));

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 0);
    CHECK_MESSAGE(run.err == "crescendo: note: scheduler.workers is 3, but there are 2 slots; trials start with 2\n",
                  run.err);
}

TEST_CASE("the end of a sweep and its status say whether trials wait for data") {
    for (const char* wait : {"0.5", "0.05"}) {
        const TemporaryFolder folder;
        write_sweep(folder.path());
        const std::string report = R"(echo '{"resource": 9, "metrics": {"loss": 1}, "data_wait": )";
        write_file(folder / "train.sh", report + wait + "}' >&$CRESCENDO_FD\n");

        const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});
        const auto status = status_of(folder.path());

        const bool much = std::string(wait) == "0.5";
        CHECK(run.code == 0);
        const char* hint = "trials spend 50 % of their time waiting for data; read ahead";
        CHECK((run.out.find(hint) != std::string::npos) == much);
        CHECK(status.contains("hint") == much);
    }
}

TEST_CASE("the wall-time budget ends a sweep for good") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "sleep 0.3", "budget: {time: 1s}\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 0);
    CHECK(run.out.find("the time budget is used up") != std::string::npos);
    CHECK(status_of(folder.path()).at("state") == "finished");
}

TEST_CASE("a target that is met ends a sweep for good") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), ":", "budget: {target: 1000}\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 0);
    CHECK(run.out.find("the target is reached") != std::string::npos);
}

TEST_CASE("a session with closed standard streams prints nothing into its journal") {
    const TemporaryFolder folder;
    write_sweep(folder.path());

    const auto command = "cd '" + folder.path().string() + "' && " CRESCENDO_BINARY " run sweep.yaml <&- >&- 2>&-";

    CHECK(std::system(command.c_str()) == 0);
    CHECK(status_of(folder.path()).at("state") == "finished");
}

TEST_CASE("a replay repeats the decisions about a program that kept printing before it was stopped") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), ":", "report: {pattern: 'epoch (?P<resource>\\d+)/9 loss (?P<loss>[\\d.]+)'}\n");
    write_file(folder / "train.sh", "x=${1#--x=}\nfor r in {1..9}; do echo \"epoch $r/9 loss $x.$((10 - r))\"; done\n");
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);
    const auto trials = trials_of(folder.path());
    const auto reports = resources_by_trial(folder / "bash");
    const auto printed_on = [&](const Json& trial) {
        return trial.at("status") == "stopped" && reports.at(trial.at("trial")).back() > trial.at("resource");
    };
    REQUIRE(std::ranges::any_of(trials, printed_on));

    const auto replayed = run_crescendo(folder.path(), {"simulate", "--replay", "bash", "--format", "json"});

    CHECK_MESSAGE(replayed.code == 0, replayed.err);
    CHECK(replayed.json().at("differences") == 0);
}

TEST_CASE("all reports in a very large output are read, even after the program has ended") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), ":", "report: {pattern: 'epoch (?P<resource>\\d+)/9 loss (?P<loss>[\\d.]+)'}\n");
    write_file(folder / "train.sh",
               "for r in {1..9}; do yes | head -c 1500000; echo \"epoch $r/9 loss 0.$((10 - r))\"; done\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK(best_of(folder.path()).at("resource") == 9);
}
