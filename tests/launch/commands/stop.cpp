#include "tests/launch/commands/old_sweep.hpp"

using namespace crescendo::tests;

TEST_CASE("stop of a sweep on which nobody works has nothing to do") {
    const OldSweep sweep;

    const auto result = sweep.run({"stop", "s"});

    CHECK(result.code == 0);
    CHECK(contains(result.out, "there is nothing to stop"));
}

TEST_CASE("stop ends a trial of a sweep on which nobody works, once") {
    const OldSweep sweep;

    const auto first = sweep.run({"stop", "s", "1"});
    const auto journal = content_of(sweep.folder / "s/journal.jsonl");
    const auto second = sweep.run({"stop", "s", "1"});

    CHECK(first.code == 0);
    CHECK(contains(first.out, "trial 1 stops\n"));
    CHECK(contains(first.out, "crescendo resume s"));
    CHECK(second.code == 0);
    CHECK(contains(second.out, "trial 1 was stopped before"));
    CHECK(sweep.run({"trials", "s", "--format", "json"}).json()[1].at("reason") == "requested");
    CHECK(content_of(sweep.folder / "s/journal.jsonl") == journal);
}

TEST_CASE("stop refuses a trial that has ended, or is none") {
    const OldSweep sweep;

    const auto ended = sweep.run({"stop", "s", "0"});
    CHECK(ended.code == 2);
    CHECK(contains(ended.err, "trial 0 has ended already: it is finished (completed)"));
    CHECK(contains(sweep.run({"stop", "s", "2"}).err, "trial 2 has not started"));
    CHECK(sweep.run({"stop", "s", "-1"}).code == 2);
    CHECK(sweep.run({"stop", "s", "one"}).code == 2);
}
