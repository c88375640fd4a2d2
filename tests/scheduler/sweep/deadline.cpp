/// All slots will be lost soon: a trial that reports gives up its slots, and no other trial takes them.

#include <doctest/doctest.h>

#include "tests/scheduler/script.hpp"

using namespace crescendo;

TEST_CASE("near the deadline, no trial starts, and a trial that reports waits and frees its slots") {
    Script script{spec_of(3, 4)};
    script.join(2);

    CHECK(script.apply(DeadlineNear{}) == "");
    CHECK(script.report(0, 1, 0.5) == "pause 0");
    CHECK(script.trial(0).status == TrialStatus::waiting);
    CHECK(script.trial(1).status == TrialStatus::running);
    CHECK(script.sweep.num_free_slots() == 1);
}

TEST_CASE("near the deadline, a trial that fails is not resumed, and one that loses is stopped") {
    Script script{spec_of(4, 4)};
    script.join(2);
    script.report(0, 1, 0.1);
    script.apply(DeadlineNear{});

    CHECK(script.fail(0) == "");
    CHECK(script.report(1, 1, 0.9) == "stop 1 judged");  // 2 reports, eta 2: one survives
}

TEST_CASE("near the deadline, a trial can still complete, and the sweep may end") {
    Script script{spec_of(1, 1)};
    script.join(1);
    script.apply(DeadlineNear{});

    CHECK(script.report(0, 1, 0.5) == "stop 0 completed; finish all_trials_done best 0");
}

TEST_CASE("the deadline is forgotten only when new slots join after all were lost") {
    Script script{spec_of(3, 4)};
    script.join(1);
    script.apply(DeadlineNear{});
    script.report(0, 1, 0.5);

    CHECK(script.apply(SlotsJoined{slots(1, 1)}) == "");
    CHECK(script.lose({SlotId{0}, SlotId{1}}) == "");
    CHECK_FALSE(script.join(1).empty());
    CHECK_FALSE(script.sweep.deadline_is_near());
}

// Wherever the deadline comes among the reports, nothing starts, resumes or grows until there are new slots. Then the
// sweep continues to its end.
TEST_CASE("near the deadline, no action needs a slot until there are new ones") {
    for (const auto kind : {SchedulerKind::fifo, SchedulerKind::asha, SchedulerKind::rasda, SchedulerKind::hyperband}) {
        for (int strike = 0; strike < 12; ++strike) {
            CAPTURE(strike);
            auto spec = spec_of(4, 4);
            spec.scheduler.kind = kind;
            Script script{spec};
            script.join(2);
            for (int step = 0; step < 60 && script.sweep.state() == SweepState::running; ++step) {
                if (step == strike) {
                    script.apply(DeadlineNear{});
                }
                const Trial* next = nullptr;
                for (const auto& trial : script.sweep.trials()) {
                    next = trial.status == TrialStatus::running ? &trial : next;
                }
                if (next == nullptr) {
                    REQUIRE(script.sweep.deadline_is_near());
                    script.lose(script.sweep.slots());
                    script.join(2);
                    continue;
                }
                const auto did = script.report(next->id.value, static_cast<int>(next->resource.value) + 1,
                                               1.0 / (1.0 + next->id.value));
                if (script.sweep.deadline_is_near()) {
                    CHECK(did.find("start") == std::string::npos);
                    CHECK(did.find("resume") == std::string::npos);
                    CHECK(did.find("regroup") == std::string::npos);
                }
            }
            CHECK(script.sweep.state() == SweepState::finished);
        }
    }
}
