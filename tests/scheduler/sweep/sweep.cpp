#include "scheduler/sweep/sweep.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "core/check.hpp"
#include "scheduler/samplers/random_sampler.hpp"
#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

SweepSpec asha(int run_cap, int max) {
    auto spec = spec_of(run_cap, max);
    spec.scheduler.kind = SchedulerKind::asha;
    return spec;
}

}  // namespace

TEST_CASE("a sweep with an invalid spec is refused") {
    auto spec = spec_of(4, 4);
    spec.run_cap = 0;

    CHECK_THROWS_AS(Sweep{spec}, InvalidInput);
}

TEST_CASE("nothing happens before there are slots") {
    Script script{asha(4, 4)};

    CHECK(script.apply(SlotsJoined{}) == "");
    CHECK(script.sweep.trials().empty());
    CHECK(script.sweep.state() == SweepState::running);
    CHECK(script.sweep.max_workers() == 0);
    CHECK(script.sweep.best() == std::nullopt);
}

TEST_CASE("each free slot starts a trial, up to the run cap") {
    Script script{asha(3, 4)};

    CHECK(script.join(2) == "start 0 on 0 g0 b1; start 1 on 1 g0 b1");
    CHECK(script.join(2) == "start 2 on 2 g0 b1");
    CHECK(script.sweep.num_slots() == 4);
    CHECK(script.sweep.num_free_slots() == 1);
    CHECK(script.sweep.slots() == std::vector{SlotId{0}, SlotId{1}, SlotId{2}, SlotId{3}});
}

TEST_CASE("trial n has the n-th configuration of the seed") {
    auto spec = asha(3, 4);
    spec.seed = 9;
    spec.space = SearchSpace{{{"x", Uniform{0, 1}}}};
    Script script{spec};

    script.join(3);

    CHECK(script.trial(0).config == RandomSampler(spec.space, 9).propose(TrialId{0})->config);
    CHECK(script.trial(2).config == RandomSampler(spec.space, 9).propose(TrialId{2})->config);
}

TEST_CASE("a trial that loses at a rung stops, and the next trial starts on its slot at once") {
    Script script{asha(3, 4)};
    script.join(2);

    CHECK(script.report(0, 1, 0.1) == "");
    CHECK(script.report(1, 1, 0.2) == "stop 1 judged; start 2 on 1 g0 b1");
    CHECK(script.trial(1).status == TrialStatus::stopped);
}

TEST_CASE("a single slot runs a whole sweep") {
    Script script{asha(2, 2)};  // milestones 1, 2

    CHECK(script.join(1) == "start 0 on 0 g0 b1");
    CHECK(script.report(0, 1, 0.5) == "");
    CHECK(script.report(0, 2, 0.4) == "stop 0 completed; start 1 on 0 g0 b1");
    CHECK(script.report(1, 1, 0.6) == "stop 1 judged; drop 1; finish all_trials_done best 0");
    CHECK(script.sweep.state() == SweepState::finished);
    CHECK(script.sweep.num_free_slots() == 1);
}

TEST_CASE("a trial is complete at the maximum, without being judged") {
    Script script{asha(2, 2)};
    script.join(2);
    script.report(0, 1, 0.2);
    script.report(0, 2, 0.1);
    script.report(1, 1, 0.15);

    CHECK(script.report(1, 3, 9.0) ==
          "stop 1 completed; drop 1; finish all_trials_done best 0");  // beyond it counts as at it
    CHECK(script.trial(1).status == TrialStatus::finished);
    CHECK(script.sweep.rungs().back().size == 2);
}

TEST_CASE("a trial whose report skips milestones survives them all at once") {
    Script script{asha(1, 8)};  // milestones 1, 2, 4, 8
    script.join(1);

    CHECK(script.report(0, 5, 0.5) == "");
    CHECK(script.trial(0).rungs_survived == 3);
    CHECK(script.sweep.next_milestone(TrialId{0}) == Resource{8});
}

TEST_CASE("the next milestone is where a trial is judged next") {
    Script script{asha(1, 4)};
    script.join(1);

    CHECK(script.sweep.next_milestone(TrialId{0}) == Resource{1});
    script.report(0, 1, 0.5);
    CHECK(script.sweep.next_milestone(TrialId{0}) == Resource{2});
    script.report(0, 3, 0.5);
    CHECK(script.sweep.next_milestone(TrialId{0}) == Resource{4});
}

TEST_CASE("the same report twice changes nothing, and an older one is refused") {
    Script script{asha(2, 8)};
    script.join(2);
    script.report(0, 2, 0.5);

    CHECK(script.report(0, 2, 0.1) == "");
    CHECK_THROWS_WITH_AS(script.report(0, 1, 0.1),
                         "trial 0 reports at resource 1 after 2 (the total cannot decrease); report the total",
                         InvalidInput);
    CHECK(script.trial(0).loss == 0.5);
    CHECK(script.sweep.rungs()[0].size == 1);
}

TEST_CASE("a report after stop changes nothing") {
    Script script{asha(3, 4)};
    script.join(2);
    script.report(0, 1, 0.1);
    script.report(1, 1, 0.2);  // stops

    CHECK(script.report(1, 2, 0.01) == "");
    CHECK(script.finish(1) == "");
    CHECK(script.fail(1) == "");
    CHECK(script.trial(1).loss == 0.2);
    CHECK(script.trial(1).failures == 0);
    CHECK(script.sweep.rungs()[1].size == 0);
}

TEST_CASE("a trial whose program ends by itself is finished without a stop action") {
    Script script{asha(3, 4)};
    script.join(1);
    script.report(0, 1, 0.5);

    CHECK(script.finish(0) == "start 1 on 0 g0 b1");
    CHECK(script.trial(0).status == TrialStatus::finished);
    CHECK(script.trial(0).group.slots.empty());
}

TEST_CASE("losses that are not finite count as the worst") {
    Script script{asha(4, 4)};
    script.join(2);

    CHECK(script.report(0, 1, -infinity) == "");  // the first of its rung
    CHECK(script.trial(0).loss == infinity);
    CHECK(script.sweep.best() == std::nullopt);
    CHECK(script.report(1, 1, not_a_number) == "stop 1 judged; drop 1; start 2 on 1 g0 b1");
}

TEST_CASE("the lower id of equal losses continues, in either order of arrival") {
    Script script{asha(2, 4)};
    script.join(2);
    script.report(0, 1, 0.5);
    CHECK(script.report(1, 1, 0.5) == "stop 1 judged");

    Script reversed{asha(2, 4)};
    reversed.join(2);
    reversed.report(1, 1, 0.5);
    CHECK(reversed.report(0, 1, 0.5) == "");
}

TEST_CASE("fifo trains every trial to the end") {
    auto spec = asha(2, 4);
    spec.scheduler.kind = SchedulerKind::fifo;
    Script script{spec};
    script.join(2);
    script.report(0, 1, 0.1);

    CHECK(script.sweep.rungs().size() == 1);
    CHECK(script.sweep.next_milestone(TrialId{1}) == Resource{4});
    CHECK(script.report(1, 3, 9.0) == "");
    CHECK(script.report(1, 4, 9.0) == "stop 1 completed");
}

TEST_CASE("the best trial has the best loss at its last report; ties go to the lower id") {
    Script script{asha(3, 8)};
    script.join(3);
    script.report(2, 1, 0.1);
    CHECK(script.sweep.best() == TrialId{2});

    script.report(1, 1, 0.05);
    CHECK(script.sweep.best() == TrialId{1});  // a running one
    script.report(1, 2, 0.3);
    script.report(0, 1, 0.1);
    CHECK(script.sweep.best() == TrialId{0});
}

TEST_CASE("a trial has the training clock of its last new report, not of a repeated one") {
    Script script{asha(1, 4)};
    script.join(1);

    script.report(0, 2, 0.5, 20.5);
    script.fail(0);
    script.report(0, 1, 0.5, 11.0);  // back at its checkpoint, on a slower machine
    script.report(0, 2, 0.5, 22.0);
    CHECK(script.trial(0).seconds == 20.5);
    script.report(0, 3, 0.5, 33.0);
    CHECK(script.trial(0).seconds == 33.0);
    script.report(0, 4, 0.5);
    CHECK_FALSE(script.trial(0).seconds.has_value());
}

TEST_CASE("impossible events are refused and change nothing") {
    Script script{asha(2, 4)};
    script.join(1);
    const Sweep before = script.sweep;

    for (const Event& event : std::vector<Event>{
             TrialReported{TrialId{1}, Resource{1}, 0.5},
             TrialReported{TrialId{-1}, Resource{1}, 0.5},
             TrialReported{TrialId{0}, Resource{0}, 0.5},
             TrialReported{TrialId{0}, Resource{-1}, 0.5},
             TrialFinished{TrialId{7}},
             TrialFailed{TrialId{7}, FailureKind::crash},
             TrialFailed{TrialId{0}, FailureKind::crash, SlotId{9}},
             SlotsJoined{{{SlotId{5}, NodeId{0}}, {SlotId{0}, NodeId{0}}}},  // 0 has already joined
             SlotsJoined{{{SlotId{5}, NodeId{0}}, {SlotId{5}, NodeId{1}}}},
             SlotsJoined{{{SlotId{-1}, NodeId{0}}}},
             SlotsJoined{{{SlotId{SlotPool::end_of_ids}, NodeId{0}}}},
             SlotsLost{{SlotId{0}, SlotId{9}}},
         }) {
        CAPTURE(event.index());
        CHECK_THROWS_AS(script.sweep.apply(event), InvalidInput);
    }

    CHECK(script.sweep.num_slots() == before.num_slots());
    CHECK(script.trial(0).status == TrialStatus::running);
    CHECK(script.trial(0).resource == Resource{0});
    CHECK(script.report(0, 1, 0.5) == "");
    CHECK(script.report(0, 4, 0.5) == "stop 0 completed; start 1 on 0 g0 b1");
}

TEST_CASE("the percentile rule can be chosen for a sweep") {
    auto spec = asha(3, 4);
    spec.goal = Goal::maximize;
    spec.scheduler.rule = Rule::percentile;
    Script script{spec};
    script.join(3);

    // Ray's example: 2, 4, then 1 under the cutoff of 3.
    CHECK(script.report(0, 1, to_loss(Goal::maximize, 2)) == "");
    CHECK(script.report(1, 1, to_loss(Goal::maximize, 4)) == "");
    CHECK(script.report(2, 1, to_loss(Goal::maximize, 1)) == "stop 2 judged");
}

TEST_CASE("on one slot, if 27 trials arrive best first with eta 3, all but the first stop at the first rung") {
    auto spec = asha(27, 27);
    spec.scheduler.reduction_factor = 3;
    Script script{spec};
    script.join(1);

    for (const int resource : {1, 3, 9, 27}) {
        script.report(0, resource, 0.0);
    }
    for (int trial = 1; trial < 27; ++trial) {
        script.report(trial, 1, trial);
    }

    CHECK(script.sweep.finish_reason() == FinishReason::all_trials_done);
    CHECK(script.sweep.rungs()[0].size == 27);
    CHECK(script.sweep.rungs()[3].size == 1);
    CHECK(script.sweep.best() == TrialId{0});
}
