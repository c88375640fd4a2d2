#include <doctest/doctest.h>

#include <limits>

#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

SweepSpec fifo(int run_cap, int max) {
    auto spec = spec_of(run_cap, max);
    spec.scheduler.kind = SchedulerKind::fifo;
    return spec;
}

}  // namespace

TEST_CASE("the best ended trial keeps its checkpoint, and the trials that it displaces lose theirs") {
    Script script{fifo(4, 1)};
    script.join(4);

    CHECK(script.report(0, 1, 0.5) == "stop 0 completed");
    CHECK(script.report(1, 1, 0.6) == "stop 1 completed; drop 1");
    CHECK(script.report(2, 1, 0.4) == "stop 2 completed; drop 0");
    CHECK(script.report(3, 1, 0.3) == "stop 3 completed; drop 2; finish all_trials_done best 3");
}

TEST_CASE("the lower id of equal losses keeps its checkpoint") {
    Script script{fifo(3, 1)};
    script.join(3);
    script.report(1, 1, 0.5);

    CHECK(script.report(2, 1, 0.5) == "stop 2 completed; drop 2");
    CHECK(script.report(0, 1, 0.5) == "stop 0 completed; drop 1; finish all_trials_done best 0");
}

TEST_CASE("a trial without a finite loss keeps no checkpoint") {
    Script script{fifo(3, 2)};
    script.join(2);

    CHECK(script.report(0, 2, std::numeric_limits<double>::quiet_NaN()) ==
          "stop 0 completed; drop 0; start 2 on 0 g0 b1");
    CHECK(script.finish(1) == "drop 1");  // never reported
}

TEST_CASE("a better trial that still runs displaces nothing") {
    Script script{fifo(2, 2)};
    script.join(2);
    script.report(0, 1, 0.1);

    CHECK(script.report(1, 2, 0.5) == "stop 1 completed");
    CHECK(script.sweep.best() == TrialId{0});
}

TEST_CASE("the last loss of a trial decides, not its best") {
    Script script{fifo(2, 2)};
    script.join(2);
    script.report(0, 2, 0.5);
    script.report(1, 1, 0.1);

    CHECK(script.report(1, 2, 0.9) == "stop 1 completed; drop 1; finish all_trials_done best 0");
}
