/// Sweeps over programs that are not ours, with the real binaries. These tests also run on the ranks of MPI jobs.

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "tests/e2e/program_sweep.hpp"

using namespace crescendo::tests;

TEST_CASE("a sweep over a Bash program finds the smallest loss and leaves its results") {
    const TemporaryFolder folder;
    write_sweep(folder.path());

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    const auto status = status_of(folder.path());
    CHECK(status.at("state") == "finished");
    CHECK(status.at("trials").at("begun") == 9);
    const auto top = run_crescendo(folder.path(), {"top", "bash"});  // no terminal: one picture
    CHECK(top.code == 0);
    CHECK(top.out.find("bash (finished)") != std::string::npos);
    const auto trials = trials_of(folder.path());
    REQUIRE(trials.size() == 9);
    int smallest = 1000;
    int finished = 0;
    for (const auto& trial : trials) {
        smallest = std::min(smallest, trial.at("x").get<int>());
        finished += trial.at("status") == "finished";
        CHECK((trial.at("resource") == 1 || trial.at("resource") == 3 || trial.at("resource") == 9));
    }
    CHECK(finished >= 1);
    const auto best = best_of(folder.path());
    CHECK(best.at("config").at("x") == smallest);
    CHECK(best.at("resource") == 9);
    CHECK(content_of(folder / "bash/results.csv").starts_with("trial,status,resource"));
}

TEST_CASE("paused programs are resumed from their checkpoints, and the best third reach the next rung") {
    for (const char* type : {"asha, mode: promote", "successive_halving", "hyperband", "pasha"}) {
        if (in_mpi_job() && type != std::string("hyperband")) {
            continue;  // the transport does not depend on the scheduler
        }
        CAPTURE(type);
        const TemporaryFolder folder;
        write_sweep(folder.path(),
                    "[ -e $CRESCENDO_TRIAL_DIR/done ] && [ $r -lt $(cat $CRESCENDO_TRIAL_DIR/done) ] && continue; "
                    "echo $r > $CRESCENDO_TRIAL_DIR/done",
                    "", type);

        const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

        REQUIRE_MESSAGE(run.code == 0, run.err);
        int finished = 0;
        for (const auto& trial : trials_of(folder.path())) {
            CHECK(trial.at("failures") == 0);
            CHECK((trial.at("status") == "stopped" || trial.at("status") == "finished"));
            finished += trial.at("status") == "finished";
        }
        CHECK(finished >= (std::string(type) == "pasha" ? 0 : 1));
        for (const auto& [trial, resources] : resources_by_trial(folder / "bash")) {
            CHECK(std::adjacent_find(resources.begin(), resources.end(), std::greater_equal<>()) == resources.end());
        }
        CHECK(processes_in(folder.path()).empty());
    }
}

TEST_CASE("a killed sweep says how many trials are paused, and resumes them") {
    const TemporaryFolder folder;
    // The rung is decided once all have reported, and only four do.
    write_sweep(folder.path(), "[ $CRESCENDO_TRIAL -lt 4 ] || until [ -e go ]; do sleep 0.05; done", "",
                "successive_halving");
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("four reports are in the journal", [&] { return num_reports(folder / "bash") == 4; });

    run.signal(SIGKILL);
    run.wait();

    const auto status = status_of(folder.path());
    CHECK(status.at("trials").at("paused") == 4);
    write_file(folder / "go", "");
    CHECK(run_crescendo(folder.path(), {"resume", "bash"}).code == 0);
    CHECK(status_of(folder.path()).at("trials").at("finished") == 1);
}

TEST_CASE("a sweep works with one slot, and with many more slots than cores") {
    for (const char* slots : {"1", "9"}) {
        const TemporaryFolder folder;
        write_sweep(folder.path());

        const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml", "--slots", slots});

        CHECK_MESSAGE(run.code == 0, run.err);
    }
}

TEST_CASE("Ctrl-C, SIGTERM and stop end a sweep with 75 and leave nothing running, and resume continues") {
    for (const std::string how : {"INT", "TERM", "stop"}) {
        CAPTURE(how);
        const TemporaryFolder folder;
        // The first trial to report continues, so that the sweep does not end before it is stopped.
        write_sweep(folder.path(), "[ $r -lt 3 ] || [ -e go ] || { read -r reply <&$CRESCENDO_FD; exit 0; }");
        Command run(folder.path(), {"run", "sweep.yaml"});
        await("some reports are in the journal", [&] { return num_reports(folder / "bash") >= 4; });

        if (how == "stop") {
            CHECK(run_crescendo(folder.path(), {"stop", "bash"}).code == 0);
        } else {
            run.signal(how == "INT" ? SIGINT : SIGTERM);
        }

        CHECK(run.wait() == 75);
        CHECK(processes_in(folder.path()).empty());
        CHECK(status_of(folder.path()).at("state") == "stopped");
        write_file(folder / "go", "");
        CHECK(run_crescendo(folder.path(), {"resume", "bash"}).code == 0);
        CHECK(status_of(folder.path()).at("state") == "finished");
    }
}

TEST_CASE("after kill -9 no process outlives crescendo, and resume repeats no finished trial") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "setsid sleep 1000 & [ $r -lt 9 ] || until [ -e go ]; do sleep 0.05; done");
    Command run(folder.path(), {"run", "sweep.yaml"});
    await("some reports are in the journal", [&] { return num_reports(folder / "bash") >= 6; });

    run.signal(SIGKILL);
    run.wait();

    await("every process ends", [&] { return processes_in(folder.path()).empty(); });
    const auto before = resources_by_trial(folder / "bash");
    std::set<int> ended;
    for (const auto& trial : trials_of(folder.path())) {
        if (trial.at("status") == "stopped" || trial.at("status") == "finished") {
            ended.insert(trial.at("trial").get<int>());
        }
    }
    write_file(folder / "go", "");
    const auto resumed = run_crescendo(folder.path(), {"resume", "bash"});
    REQUIRE_MESSAGE(resumed.code == 0, resumed.err);
    CHECK(resumed.out.find("taking over from process") != std::string::npos);
    const auto after = resources_by_trial(folder / "bash");
    for (const int trial : ended) {
        CHECK(after.at(trial) == before.at(trial));
    }
    CHECK(after.size() == 9);
    CHECK(processes_in(folder.path()).empty());
}

TEST_CASE("a program that fails is retried, and a program that always fails costs only its trial") {
    const TemporaryFolder folder;
    // Trial 2 fails once, trial 4 always.
    write_sweep(
        folder.path(),
        "if [ $CRESCENDO_TRIAL = 4 ] || { [ $CRESCENDO_TRIAL = 2 ] && mkdir \"$CRESCENDO_TRIAL_DIR/once\"; } then "
        "echo no luck; kill -9 $$; fi");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    const auto trials = trials_of(folder.path());
    CHECK(trials.at(2).at("failures") == 1);
    CHECK(trials.at(2).at("status") != "failed");
    CHECK(trials.at(4).at("failures") == 3);  // the first attempt and two retries
    CHECK(trials.at(4).at("status") == "failed");
    CHECK(run.out.find("no luck") != std::string::npos);
}

TEST_CASE("a program that does not report in time is ended with all its processes, and its trial is retried") {
    const TemporaryFolder folder;
    write_sweep(folder.path(),
                "if [ $CRESCENDO_TRIAL = 2 ] && mkdir \"$CRESCENDO_TRIAL_DIR/once\"; then echo asleep; "
                "setsid sleep 1000 & kill -STOP $$; fi",
                "hang_timeout: 5s\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK_MESSAGE(run.out.find("trial 2 crashed: no progress for 5 s; last words: asleep") != std::string::npos,
                  run.out);
    const auto trials = trials_of(folder.path());
    CHECK(trials.at(2).at("failures") == 1);
    CHECK(trials.at(2).at("status") != "failed");
    CHECK(processes_in(folder.path()).empty());
}

TEST_CASE("a program that never reports is tried only once, and the message explains what a report is") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "[ -e mended ] || exit 0");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK_MESSAGE(run.out.find("giving up: ") != std::string::npos, run.out);
    CHECK(run.out.find(R"({"resource": 1, "metrics": {"loss": 0.31}})") != std::string::npos);
    CHECK(run.out.find("CRESCENDO_FD") != std::string::npos);
    CHECK(run.out.find("docs/trial-protocol.md") != std::string::npos);
    CHECK(run.out.find("(?P<loss>") != std::string::npos);
    CHECK(run.out.find("`trial.report(loss=0.31)` in the loop: docs/your-own-program.md") != std::string::npos);
    for (const auto& trial : trials_of(folder.path())) {
        CHECK(trial.at("failures") <= 1);
    }
    CHECK(processes_in(folder.path()).empty());
    write_file(folder / "mended", "");
    CHECK(run_crescendo(folder.path(), {"resume", "bash"}).code == 0);
}

TEST_CASE("a sweep whose first three trials fail is given up with the reason, and continues after the cause is fixed") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "[ -e data ] || { echo there is no data >&2; exit 9; }");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    CHECK(run.code == 1);
    CHECK(run.out.find("giving up: ") != std::string::npos);
    CHECK(run.out.find(" trials failed, and none has reported ") != std::string::npos);
    CHECK(run.out.find("there is no data") != std::string::npos);
    CHECK(status_of(folder.path()).at("state") == "stopped");
    CHECK(processes_in(folder.path()).empty());
    write_file(folder / "data", "");
    CHECK(run_crescendo(folder.path(), {"resume", "bash"}).code == 0);
    const auto status = status_of(folder.path());
    CHECK(status.at("trials").at("failed") >= 3);
    CHECK(status.at("trials").at("begun") == 9);
}

TEST_CASE("a program that knows nothing of crescendo is tuned by its output") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), ":", "report: {pattern: 'epoch (?P<resource>\\d+)/9 loss (?P<loss>[\\d.]+)'}\n");
    // When it is asked to stop, it is in the middle of something.
    write_file(folder / "train.sh",
               "x=${1#--x=}\nfor r in {1..9}; do\n"
               "  echo \"epoch $r/9 loss $x.$((10 - r))\"; [ $r = 9 ] || sleep 0.2\ndone\n");

    const auto run = run_crescendo(folder.path(), {"run", "sweep.yaml"});

    REQUIRE_MESSAGE(run.code == 0, run.err);
    int stopped = 0;
    for (const auto& trial : trials_of(folder.path())) {
        CHECK(trial.at("failures") == 0);
        stopped += trial.at("status") == "stopped" && trial.at("resource") < 9;
    }
    CHECK(stopped >= 1);
    CHECK(best_of(folder.path()).at("resource") == 9);
    CHECK(processes_in(folder.path()).empty());
}
