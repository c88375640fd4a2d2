#include "tests/contains.hpp"
#include "tests/launch/commands/sweep_file.hpp"

using namespace crescendo::tests;

TEST_CASE("pause and resume need trials that have not ended") {
    const TemporaryFolder folder;
    write_sweep(folder.path());
    REQUIRE(run_crescendo(folder.path(), {"run", "sweep.yaml"}).code == 0);

    for (const std::string verb : {"pause", "resume"}) {
        const auto late = run_crescendo(folder.path(), {verb, "s", "0"});
        CHECK(late.code == 2);
        CHECK(contains(late.err, "trial 0 has already ended: it is finished (completed)"));
        CHECK(contains(run_crescendo(folder.path(), {verb, "s", "99"}).err, "trial 99 has not started"));
    }
    CHECK(run_crescendo(folder.path(), {"pause", "s"}).code == 2);
}

TEST_CASE("resume refuses an option for the whole sweep when it continues a trial") {
    const TemporaryFolder folder;
    write_sweep(folder.path());

    const auto mixed = run_crescendo(folder.path(), {"resume", "s", "0", "--run-cap", "5"});

    CHECK(mixed.code == 2);
    CHECK(contains(mixed.err, "--run-cap applies to the whole sweep, but TRIAL continues only paused trials"));
}
