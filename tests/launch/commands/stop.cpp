#include <cstdlib>

#include "tests/launch/batch/played_slurm.hpp"
#include "tests/launch/commands/old_sweep.hpp"

using namespace crescendo::tests;

TEST_CASE("stop has nothing to do for a sweep that is not running") {
    const OldSweep sweep;

    const auto result = sweep.run({"stop", "s"});

    CHECK(result.code == 0);
    CHECK(contains(result.out, "there is nothing to stop"));
}

TEST_CASE("if Slurm does not answer, stop keeps its request and does not say that there is nothing to stop") {
    const PlayedSlurm slurm;
    slurm.answer("squeue", "exit 1");
    const OldSweep sweep;
    sweep.note_job("17");

    const auto result = sweep.run({"stop", "s"});

    CHECK(result.code == 2);
    CHECK(contains(result.err,
                   "s: Slurm does not say whether the sweep's last job, 17, is over, so the stop request stays"));
    CHECK(contains(result.err, "see what `squeue --jobs=17` says"));
    CHECK(content_of(sweep.folder / "s/stop") == "stop\n");
}

TEST_CASE("stop says that a sweep was made read-only if its user may not write to it") {
    const PlayedSlurm slurm;
    slurm.answer("squeue", "echo RUNNING");
    const OldSweep sweep;
    sweep.note_job("17");
    const auto folder = (sweep.folder / "s").string();
    if (std::system(("chattr +i " + folder + " 2>/dev/null").c_str()) != 0) {
        MESSAGE("skipped: this user may not make a folder immutable where temporary files are");
        return;
    }

    const auto result = sweep.run({"stop", "s"});

    REQUIRE(std::system(("chattr -i " + folder).c_str()) == 0);
    CHECK(result.code == 2);
    CHECK(contains(result.err, "cannot write s/stop: Operation not permitted; the sweep was made read-only"));
}

TEST_CASE("stop waits until Slurm says that a running job is over, even if Slurm is away meanwhile") {
    const PlayedSlurm slurm;
    slurm.answer("squeue", "case $(grep -c ^squeue calls) in 1) echo RUNNING ;; 2) exit 1 ;; esac");
    const OldSweep sweep;
    sweep.note_job("17");

    const auto result = sweep.run({"stop", "s"});

    CHECK(result.code == 0);
    CHECK(slurm.calls("squeue") == 3);
    CHECK(result.out ==
          "asked job 17 to save its trials and stop\n"
          "Slurm does not report whether job 17 is over; waiting until it does, with the stop request in place\n"
          "stopped; `crescendo submit s` continues it\n");
    CHECK_FALSE(fs::exists(sweep.folder / "s/stop"));
}

TEST_CASE("stop of a copy on a machine without Slurm does not ask about the sweep's job") {
    const OldSweep sweep;
    sweep.note_job("17");
    const NoSlurm machine;

    CHECK(contains(sweep.run({"stop", "s"}).out, "there is nothing to stop"));
}

TEST_CASE("stop ends a trial of a sweep that is not running, and does so once") {
    const OldSweep sweep;

    const auto first = sweep.run({"stop", "s", "1"});
    const auto journal = content_of(sweep.folder / "s/journal.jsonl");
    const auto second = sweep.run({"stop", "s", "1"});

    CHECK(first.code == 0);
    CHECK(contains(first.out, "trial 1 stops\n"));
    CHECK(contains(first.out, "crescendo resume s"));
    CHECK(second.code == 0);
    CHECK(contains(second.out, "trial 1 was already stopped"));
    CHECK(sweep.run({"trials", "s", "--format", "json"}).json()[1].at("reason") == "requested");
    CHECK(content_of(sweep.folder / "s/journal.jsonl") == journal);
}

TEST_CASE("stop refuses a trial that has ended or does not exist") {
    const OldSweep sweep;

    const auto ended = sweep.run({"stop", "s", "0"});
    CHECK(ended.code == 2);
    CHECK(contains(ended.err, "trial 0 has already ended: it is finished (completed)"));
    CHECK(contains(sweep.run({"stop", "s", "2"}).err, "trial 2 has not started"));
    CHECK(sweep.run({"stop", "s", "-1"}).code == 2);
    CHECK(sweep.run({"stop", "s", "one"}).code == 2);
}
