#include "tests/contains.hpp"
#include "tests/launch/commands/sweep_file.hpp"

using namespace crescendo::tests;

TEST_CASE("retry makes a failed trial wait for the next session, which trains it again") {
    const TemporaryFolder folder;
    write_sweep(folder.path(), "[ -e fixed ] || [ $CRESCENDO_TRIAL = 0 ] || exit 9\n"
                               "echo '{\"resource\": 1, \"metrics\": {\"loss\": 0.5}}' >&$CRESCENDO_FD");
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);  // trial 0 succeeds
    write_file(folder / "fixed", "");

    const auto retry = run_crescendo(folder.path(), {"retry", "s", "--failed"});

    CHECK(retry.code == 0);
    CHECK(contains(retry.out, "1 failed trial is tried again"));
    CHECK(contains(retry.out, "`crescendo resume s` continues it"));
    CHECK(contains(run_crescendo(folder.path(), {"retry", "s", "1"}).out,
                   "trial 1 is waiting, and is already being retried"));
    CHECK(run_crescendo(folder.path(), {"resume", "s"}).code == 0);
    CHECK(run_crescendo(folder.path(), {"status", "s", "--format", "json"}).json().at("trials").at("finished") == 2);
    const auto replayed = run_crescendo(folder.path(), {"simulate", "--replay", "s", "--format", "json"});
    CHECK(replayed.json().at("differences") == 0);
}

TEST_CASE("retry needs to know which trials to train again, and refuses trials that did not fail") {
    const TemporaryFolder folder;
    write_sweep(folder.path());
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);

    CHECK(contains(run_crescendo(folder.path(), {"retry", "s"}).err, "which trials? Name them"));
    CHECK(run_crescendo(folder.path(), {"retry", "s", "1", "--failed"}).code == 2);
    const auto refused = run_crescendo(folder.path(), {"retry", "s", "0"});
    CHECK(refused.code == 2);
    CHECK(contains(refused.err, "trial 0 is finished (only a failed trial can be retried)"));
    CHECK(contains(run_crescendo(folder.path(), {"retry", "s", "--failed"}).out, "no trial has failed"));
}
