#include "tests/launch/batch/played_slurm.hpp"
#include "tests/launch/commands/old_sweep.hpp"
#include "tests/launch/commands/sweep_file.hpp"

using namespace crescendo::tests;

TEST_CASE("resume of a finished sweep says again how it ended and trains nothing") {
    const TemporaryFolder folder;
    write_sweep(folder.path());
    run_crescendo(folder.path(), {"run", "sweep.yaml"});
    const auto before = content_of(folder / "s/journal.jsonl");

    const auto again = run_crescendo(folder.path(), {"resume", "s"});

    CHECK(again.code == 0);
    CHECK(again.out.find("with nothing left to do") != std::string::npos);
    CHECK(again.out.find("finished: ") != std::string::npos);
    CHECK(content_of(folder / "s/journal.jsonl") == before);
}

TEST_CASE("resume refuses a sweep whose job is queued, because the job would find the sweep running") {
    const PlayedSlurm slurm;
    slurm.answer("squeue", "echo PENDING");
    const OldSweep sweep;
    sweep.note_job("17");

    const auto refused = sweep.run({"resume", "s"});

    CHECK(refused.code == 2);
    CHECK(contains(refused.err,
                   "s: job 17 of this sweep is queued, and would fail when it finds the sweep running; `crescendo stop "
                   "s` cancels it"));
}

TEST_CASE("resume refuses a sweep whose job may be queued, but continues a copy on a machine without Slurm") {
    const OldSweep sweep;
    sweep.note_job("17");
    {
        const PlayedSlurm slurm;
        slurm.answer("squeue", "exit 1");

        const auto refused = sweep.run({"resume", "s"});

        CHECK(refused.code == 2);
        CHECK(contains(refused.err,
                       "s: Slurm does not say whether the sweep's last job, 17, is over, and a queued job would fail"));
    }
    const NoSlurm machine;
    CHECK_FALSE(contains(sweep.run({"resume", "s", "--until", "1"}).err, "Slurm"));
}

TEST_CASE("resume names an environment variable of the command that is no longer set, before it begins") {
    const TemporaryFolder folder;
    write_sweep(folder.path());
    auto sweep = content_of(folder / "sweep.yaml");
    const auto script = sweep.find("train.sh");
    REQUIRE(script != std::string::npos);
    write_file(folder / "sweep.yaml", sweep.insert(script + 8, ", \"${envvar:CRESCENDO_TEST_VARIABLE}\""));
    ::setenv("CRESCENDO_TEST_VARIABLE", "x", 1);
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml", "--until", "1"}).code == 75);
    ::unsetenv("CRESCENDO_TEST_VARIABLE");
    const auto before = content_of(folder / "s/journal.jsonl");

    const auto resumed = run_crescendo(folder.path(), {"resume", "s"});

    CHECK(resumed.code == 2);
    CHECK(contains(resumed.err, ": command["));
    CHECK(contains(resumed.err, "the environment variable CRESCENDO_TEST_VARIABLE is not set"));
    CHECK(content_of(folder / "s/journal.jsonl") == before);
}

TEST_CASE("resume of a finished sweep writes the table of its trials if the last session did not") {
    const TemporaryFolder folder;
    write_sweep(folder.path());
    run_crescendo(folder.path(), {"run", "sweep.yaml"});
    const auto results = content_of(folder / "s/results.csv");
    fs::remove(folder / "s/results.csv");

    REQUIRE(run_crescendo(folder.path(), {"resume", "s"}).code == 0);

    CHECK(content_of(folder / "s/results.csv") == results);
}
