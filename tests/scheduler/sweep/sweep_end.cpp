#include <doctest/doctest.h>

#include <limits>

#include "core/check.hpp"
#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

SweepSpec without_run_cap() {
    auto spec = spec_of(1, 8);
    spec.run_cap.reset();
    spec.has_time_budget = true;
    return spec;
}

}  // namespace

TEST_CASE("a report that meets the target ends the sweep: its own trial first, then the others by id") {
    auto spec = spec_of(9, 8);
    spec.target = 0.1;
    Script script{spec};
    script.join(3);
    script.report(0, 1, 0.3);

    CHECK(script.report(1, 1, 0.1) ==
          "stop 1 swept; stop 0 swept; drop 0; stop 2 swept; drop 2; finish target_reached best 1");
    CHECK(script.sweep.finish_reason() == FinishReason::target_reached);
    CHECK(script.sweep.state() == SweepState::finished);
    CHECK(script.sweep.num_free_slots() == 3);
}

TEST_CASE("a metric to maximize meets the target at or above it") {
    auto spec = spec_of(9, 8);
    spec.goal = Goal::maximize;
    spec.target = 0.9;
    Script script{spec};
    script.join(1);

    CHECK(script.report(0, 1, to_loss(Goal::maximize, 0.89)) == "");
    CHECK(script.report(0, 2, to_loss(Goal::maximize, 0.9)) == "stop 0 swept; finish target_reached best 0");
}

TEST_CASE("a trial that meets the target at the maximum is complete") {
    auto spec = spec_of(9, 2);
    spec.target = 0.1;
    Script script{spec};
    script.join(2);

    CHECK(script.report(1, 2, 0.05) == "stop 1 completed; stop 0 swept; drop 0; finish target_reached best 1");
    CHECK(script.trial(1).status == TrialStatus::finished);
    CHECK(script.trial(0).status == TrialStatus::stopped);
}

TEST_CASE("a trial that meets the target at a rung that it would lose ends the sweep") {
    auto spec = spec_of(9, 8);
    spec.target = 0.5;
    Script script{spec};
    script.join(2);
    script.report(0, 1, 0.6);
    script.fail(0);

    CHECK(script.report(1, 1, 0.5) == "stop 1 swept; stop 0 swept; drop 0; finish target_reached best 1");
}

TEST_CASE("an infinite loss meets no target") {
    auto spec = spec_of(9, 8);
    spec.target = 0.1;
    Script script{spec};
    script.join(1);

    CHECK(script.report(0, 1, -std::numeric_limits<double>::infinity()) == "");
}

TEST_CASE("waiting trials end with the sweep without a stop action") {
    Script script{spec_of(9, 8)};
    script.join(2);
    script.report(1, 1, 0.5);
    script.lose({SlotId{0}});

    CHECK(script.trial(0).status == TrialStatus::waiting);
    CHECK(script.apply(Cancelled{}) == "stop 1 swept; drop 0; finish cancelled best 1");
    CHECK(script.trial(0).status == TrialStatus::stopped);
}

TEST_CASE("without a run cap, new trials start until time is up") {
    Script script{without_run_cap()};
    script.join(1);

    for (int trial = 0; trial < 100; ++trial) {
        CHECK(script.finish(trial) == text("drop {}; start {} on 0 g0 b1", trial, trial + 1));
    }
    CHECK(script.apply(TimeUp{}) == "stop 100 swept; drop 100; finish time_up best none");
}

TEST_CASE("a sweep can end before it has begun") {
    Script script{without_run_cap()};

    CHECK(script.apply(Cancelled{}) == "finish cancelled best none");
    CHECK(script.sweep.state() == SweepState::finished);
}

TEST_CASE("after the end, every possible event gives no actions") {
    Script script{spec_of(2, 8)};
    script.join(1);
    script.apply(TimeUp{});

    CHECK(script.report(0, 1, 0.5) == "");
    CHECK(script.finish(0) == "");
    CHECK(script.fail(0) == "");
    CHECK(script.join(2) == "");
    CHECK(script.lose({SlotId{0}, SlotId{2}}) == "");
    CHECK(script.apply(Cancelled{}) == "");
    CHECK(script.sweep.finish_reason() == FinishReason::time_up);
    CHECK(script.sweep.trials().size() == 1);
    CHECK(script.trial(0).loss == std::nullopt);
    CHECK_THROWS_AS(script.report(5, 1, 0.5), InvalidInput);
}
