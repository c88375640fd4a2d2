#include "tests/launch/commands/old_sweep.hpp"

using namespace crescendo::tests;

TEST_CASE("tag adds and removes tags of the sweep and of trials, and status shows them") {
    const OldSweep sweep;

    CHECK(sweep.run({"tag", "s", "1", "baseline", "paper"}).out == "trial 1 is tagged baseline, paper\n");
    CHECK(sweep.run({"tag", "s", "1", "--remove", "paper"}).out == "trial 1 is tagged baseline\n");
    CHECK(sweep.run({"tag", "s", "summer"}).out == "the sweep is tagged summer\n");

    const auto status = sweep.run({"status", "s", "--format", "json"}).json();
    CHECK(status.at("tags") == Json::array({"summer"}));
    CHECK(status.at("trial_tags") == Json{{"1", {"baseline"}}});
    CHECK(contains(sweep.run({"status", "s"}).out, "1 baseline"));
}

TEST_CASE("tag refuses a missing or invalid tag and a trial that has not started") {
    const OldSweep sweep;
    CHECK(contains(sweep.run({"tag", "s", "1"}).err, "there is no tag to add or remove"));
    CHECK(contains(sweep.run({"tag", "s", "1", "two words"}).err, "'two words' is not a tag"));
    CHECK(contains(sweep.run({"tag", "s", "9", "x"}).err, "trial 9 has not started"));
}
