#include "tests/launch/batch/played_slurm.hpp"
#include "tests/launch/commands/old_sweep.hpp"

using namespace crescendo::tests;

TEST_CASE("a sweep that is not running can be steered, and its elapsed time does not change") {
    const OldSweep sweep;
    const auto before = sweep.run({"status", "s", "--format", "json"}).json();

    REQUIRE(sweep.run({"note", "s", "x"}).code == 0);

    const auto after = sweep.run({"status", "s", "--format", "json"}).json();
    CHECK(after.at("elapsed_seconds") == before.at("elapsed_seconds"));
    CHECK(after.at("trials") == before.at("trials"));
    CHECK_FALSE(fs::exists(sweep.folder / "s/requests"));
}

TEST_CASE("set names the queued job that continues the sweep with the change") {
    const PlayedSlurm slurm;
    const OldSweep sweep;
    sweep.note_job("17");
    slurm.answer("squeue", "echo PENDING");

    const auto result = sweep.run({"set", "s", "run_cap=9"});

    CHECK(contains(result.out, "job 17, which is queued, continues the sweep with this change\n"));
    CHECK_FALSE(contains(result.out, "crescendo resume"));
}

TEST_CASE("set names the command that submits another job if the sweep's job is gone") {
    const PlayedSlurm slurm;
    slurm.answer("squeue", "exit 0");
    const OldSweep sweep;
    sweep.note_job("17");

    const auto result = sweep.run({"set", "s", "run_cap=9"});

    CHECK(contains(result.out, "the sweep is not running now; `crescendo submit s` continues it\n"));
}

TEST_CASE("if one of several requests is refused, the others are done and the exit status says so") {
    const OldSweep sweep;

    const auto result = sweep.run({"stop", "s", "0", "1"});

    CHECK(result.code == 2);
    CHECK(contains(result.err, "trial 0 has already ended"));
    CHECK(contains(result.out, "trial 1 stops"));
}

TEST_CASE("requests that decide about trials update the table of all trials") {
    const OldSweep sweep;

    const auto results = [&] { return content_of(sweep.folder / "s/results.csv"); };

    REQUIRE(sweep.run({"note", "s", "x"}).code == 0);
    CHECK_FALSE(fs::exists(sweep.folder / "s/results.csv"));
    REQUIRE(sweep.run({"stop", "s", "1"}).code == 0);  // other trials are left
    CHECK(contains(results(), "\n1,stopped,"));
    CHECK(results() == sweep.run({"trials", "s", "--format", "csv"}).out);
    REQUIRE(sweep.run({"set", "s", "run_cap=2"}).code == 0);

    CHECK(results() == sweep.run({"trials", "s", "--format", "csv"}).out);
}
