#include "tests/launch/commands/old_sweep.hpp"

using namespace crescendo::tests;

TEST_CASE("best is the trial with the best metric, and its configuration") {
    const OldSweep sweep;

    const auto best = sweep.run({"best", "s", "--format", "json"}).json();

    CHECK(best.at("trial") == 0);
    CHECK(best.at("metrics").at("loss") == 0.6);
    CHECK(best.at("config").at("c") == "y");
    CHECK(best.at("slot_hours") > 0.0);
    CHECK(best.at("cost").is_null());
}
