#include "scheduler/schedulers/hyperband.hpp"

#include <doctest/doctest.h>

#include "scheduler/schedulers/brackets.hpp"
#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

SweepSpec synchronous(SchedulerKind kind, int run_cap, int max) {
    auto spec = spec_of(kind, run_cap, max);
    spec.max_retries = 0;
    return spec;
}

}  // namespace

TEST_CASE("the bracket sizes match the Hyperband paper for eta 3 and a maximum of 81") {
    CHECK(bracket_sizes(5, 3) == std::vector<std::int64_t>{81, 34, 15, 8, 5});
    CHECK(bracket_sizes(1, 3) == std::vector<std::int64_t>{1});
}

TEST_CASE("successive halving decides a rung only when its last trial has arrived") {
    Script script{synchronous(SchedulerKind::successive_halving, /*run_cap=*/4, /*max=*/4)};  // milestones 1, 2, 4
    script.join(4);

    CHECK(script.report(0, 1, 0.4) == "pause 0");
    CHECK(script.report(1, 1, 0.3) == "pause 1");
    CHECK(script.report(2, 1, 0.2) == "pause 2");
    CHECK(script.trial(0).status == TrialStatus::paused);
    CHECK(script.report(3, 1, 0.1) == "drop 0; resume 2 on 0 g1 b1");  // 3 and 2 continue, 1 and 0 do not
    CHECK(script.trial(0).status == TrialStatus::stopped);
    CHECK(script.report(3, 2, 0.1) == "pause 3");
    CHECK(script.report(2, 2, 0.05) == "drop 1");
    CHECK(script.report(2, 4, 0.01) == "stop 2 completed; drop 3; finish all_trials_done best 2");
}

TEST_CASE("the last trial to arrive at a rung stops at once if it loses") {
    Script script{synchronous(SchedulerKind::successive_halving, 2, 2)};
    script.join(2);
    script.report(0, 1, 0.1);

    CHECK(script.report(1, 1, 0.2) == "stop 1 judged; resume 0 on 0 g1 b1");
}

TEST_CASE("successive halving with fewer slots than trials runs them in turn") {
    Script script{synchronous(SchedulerKind::successive_halving, 3, 2)};
    script.join(1);

    CHECK(script.report(0, 1, 0.3) == "pause 0; start 1 on 0 g0 b1");
    CHECK(script.report(1, 1, 0.1) == "pause 1; start 2 on 0 g0 b1");
    CHECK(script.report(2, 1, 0.2) == "stop 2 judged; drop 0; resume 1 on 0 g1 b1");
}

TEST_CASE("a failed trial, or one whose program ended, does not hold up a rung and is never promoted") {
    for (const bool fails : {true, false}) {
        Script script{synchronous(SchedulerKind::successive_halving, 2, 2)};
        script.join(2);
        script.report(0, 1, 0.5);

        const std::string drop = fails ? "" : "drop 1; ";  // a failed trial may be tried again
        CHECK((fails ? script.fail(1) : script.finish(1)) == drop + "resume 0 on 0 g1 b1");
        CHECK(script.report(0, 2, 0.5) == "stop 0 completed; finish all_trials_done best 0");
    }
}

TEST_CASE("a bracket whose trials all fail is over") {
    Script script{synchronous(SchedulerKind::successive_halving, 2, 4)};
    script.join(2);
    script.fail(0);

    CHECK(script.fail(1) == "finish all_trials_done best none");
}

TEST_CASE("a trial that loses to one that trained ahead has ended, so a user's stop changes nothing") {
    Script script{synchronous(SchedulerKind::successive_halving, 5, 8)};  // milestones 1, 2, 4, 8
    script.join(5);
    script.report(1, 2, 0.1);
    script.report(2, 2, 0.9);
    script.finish(0);
    script.stop(4);

    script.report(3, 2, 0.2);  // decides the first rung and, as 1 trained ahead, also the second

    CHECK(script.trial(1).status == TrialStatus::running);
    CHECK(script.trial(3).status == TrialStatus::stopped);
    CHECK(script.stop(3) == "");
}

TEST_CASE("a trial that trained ahead is judged at the next rung without a slot") {
    Script script{synchronous(SchedulerKind::successive_halving, 2, 4)};  // milestones 1, 2, 4
    script.join(1);

    CHECK(script.report(0, 4, 0.1) == "pause 0; start 1 on 0 g0 b1");
    CHECK(script.report(1, 1, 0.2) == "stop 1 judged; drop 1; finish all_trials_done best 0");
    CHECK(script.trial(0).status == TrialStatus::finished);
}

TEST_CASE("a bracket is decided with its present trials if the sampler has no more") {
    for (const auto kind : {SchedulerKind::successive_halving, SchedulerKind::hyperband}) {
        auto spec = synchronous(kind, /*run_cap=*/9, /*max=*/4);
        spec.space = SearchSpace({{"x", IntUniform{0, 2}}});
        spec.sampler = "grid";  // of three points
        Script script{spec};
        CHECK(script.join(3) == "start 0 on 0 g0 b1; start 1 on 1 g0 b1; start 2 on 2 g0 b1");

        script.report(0, 1, 0.3);
        script.report(1, 1, 0.2);
        CHECK(script.report(2, 1, 0.1).starts_with("pause 2; drop"));

        CHECK(script.trial(2).status == TrialStatus::running);  // the best one is promoted
        CHECK(script.trial(1).reason == StopReason::judged);
        script.report(2, 2, 0.1);
        CHECK(script.report(2, 4, 0.1).ends_with("finish all_trials_done best 2"));
    }
}

TEST_CASE("Hyperband's brackets run side by side, so that no slot idles") {
    Script script{synchronous(SchedulerKind::hyperband, 10, 4)};  // sizes 4, 3, 3, from milestones 1, 2, 4

    script.join(9);

    CHECK(script.sweep.next_milestone(TrialId{3}) == Resource{1});
    CHECK(script.sweep.next_milestone(TrialId{4}) == Resource{2});
    CHECK(script.sweep.next_milestone(TrialId{8}) == Resource{4});
    CHECK(script.report(7, 4, 0.9) == "stop 7 completed; start 9 on 7 g0 b1");  // no trial is judged in its bracket
    CHECK(script.report(4, 2, 0.5) == "pause 4");
    CHECK(script.report(5, 2, 0.6) == "pause 5");
    CHECK(script.report(6, 2, 0.7) == "stop 6 judged; drop 7; drop 6; resume 4 on 4 g1 b1");
}

TEST_CASE("Hyperband's last bracket is as large as the run cap allows") {
    Script script{synchronous(SchedulerKind::hyperband, 5, 4)};
    script.join(5);

    CHECK(script.trial(4).bracket == 1);
    CHECK(script.report(4, 2, 0.5) == "");  // alone in its bracket
}

TEST_CASE("after its last bracket, Hyperband starts again with its first") {
    Script script{synchronous(SchedulerKind::hyperband, 20, 4)};  // sizes 4, 3, 3, from milestones 1, 2, 4

    script.join(15);

    CHECK(script.trial(9).bracket == 2);
    CHECK(script.trial(10).bracket == 3);
    CHECK(script.sweep.next_milestone(TrialId{9}) == Resource{4});
    CHECK(script.sweep.next_milestone(TrialId{10}) == Resource{1});
    CHECK(script.sweep.next_milestone(TrialId{13}) == Resource{1});
    CHECK(script.sweep.next_milestone(TrialId{14}) == Resource{2});
}

TEST_CASE("a bracket that was undecided when the time was up does not take back a failed trial") {
    auto spec = synchronous(SchedulerKind::successive_halving, 2, 2);
    spec.has_time_budget = true;
    Script script{spec};
    script.join(2);
    script.fail(0);
    script.apply(TimeUp{});
    script.change(limits_of(spec));

    CHECK_FALSE(script.sweep.can_retry(TrialId{0}));
}
