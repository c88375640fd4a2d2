#include <doctest/doctest.h>

#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

SweepSpec spec_when(GrowWhen when, int run_cap = 2) {
    auto spec = spec_of(run_cap, /*max=*/16);
    spec.scheduler.grow_when = when;
    spec.scheduler.batch = BatchPolicy::global;
    return spec;
}

/// Steps of 128 samples that take this long.
Steps steps(double seconds) { return {seconds, 128.0, std::nullopt}; }

}  // namespace

TEST_CASE("grow_when: faster tries a size, and no trial repeats it if it gains nothing") {
    Script script{spec_when(GrowWhen::faster)};
    script.join(4);

    CHECK(script.report(0, 1, 0.1, steps(1.0)) == "regroup 0 on 0,2 g1 b1");
    CHECK(script.report(0, 2, 0.1, steps(1.0)) == "");  // no gain
    CHECK(script.report(1, 2, 0.05, steps(1.0)) == "");
    CHECK(script.report(0, 8, 0.1, steps(1.0)) == "");
    CHECK(script.sweep.num_free_slots() == 1);
}

TEST_CASE("grow_when: faster keeps growing while workers make trials faster") {
    Script script{spec_when(GrowWhen::faster)};
    script.join(8);

    CHECK(script.report(0, 1, 0.1, steps(1.0)) == "regroup 0 on 0,2 g1 b1");
    CHECK(script.report(0, 2, 0.1, steps(0.52)) == "regroup 0 on 0,2,3,4 g2 b1");
    CHECK(script.report(1, 2, 0.04, steps(1.0)) == "regroup 1 on 1,5,6,7 g1 b1");
}

TEST_CASE("grow_when: always grows even in vain, as published") {
    Script script{spec_when(GrowWhen::always)};
    script.join(4);
    script.report(0, 1, 0.1, steps(1.0));

    CHECK(script.report(1, 1, 0.05, steps(1.0)) == "regroup 1 on 1,3 g1 b1");
}

TEST_CASE("grow_when: goodput gives back useless workers once a trial waits for slots") {
    auto spec = spec_when(GrowWhen::goodput, /*run_cap=*/3);
    spec.scheduler.max_concurrent = 2;
    Script script{spec};
    script.join(3);
    CHECK(script.report(0, 1, 0.1, steps(1.0)) == "regroup 0 on 0,2 g1 b1");
    CHECK(script.report(0, 2, 0.1, steps(1.0)) == "");  // no gain, but no other trial may run there
    auto limits = limits_of(script.sweep.spec());
    limits.max_concurrent = 3;
    CHECK(script.change(limits) == "");

    CHECK(script.report(0, 3, 0.1, steps(1.0)) == "regroup 0 on 0 g2 b1; start 2 on 2 g0 b1");
}

TEST_CASE("grow_when: goodput keeps the workers that make a trial faster") {
    auto spec = spec_when(GrowWhen::goodput, /*run_cap=*/3);
    spec.scheduler.max_concurrent = 2;
    Script script{spec};
    script.join(3);
    script.report(0, 1, 0.1, steps(1.0));
    script.report(0, 2, 0.1, steps(0.55));
    auto limits = limits_of(script.sweep.spec());
    limits.max_concurrent = 3;
    script.change(limits);

    CHECK(script.report(0, 3, 0.1, steps(0.55)) == "");
}

TEST_CASE("priority: promotions_first keeps no slots for survivors that do not want them") {
    auto spec = spec_when(GrowWhen::goodput, /*run_cap=*/4);
    spec.scheduler.priority = Priority::promotions_first;
    spec.scheduler.max_workers = 2;
    Script script{spec};
    script.join(3);
    script.report(0, 1, 0.1, steps(1.0));  // entitled to 2; all slots are in use
    script.report(1, 1, 0.2, steps(1.0));  // stops: its slot is kept for trial 0
    CHECK(script.report(0, 2, 0.1, steps(1.0)) == "regroup 0 on 0,1 g1 b1");
    CHECK(script.report(0, 3, 0.1, steps(1.0)) == "regroup 0 on 0 g2 b1; start 3 on 1 g0 b1");  // in vain
}

TEST_CASE("surplus slots skip a survivor that gains nothing from them") {
    auto spec = spec_when(GrowWhen::goodput);
    spec.scheduler.surplus = Switch::on;
    spec.scheduler.max_workers = 8;
    Script script{spec};
    script.join(16);
    script.report(0, 1, 0.1, steps(1.0));
    CHECK(script.report(0, 2, 0.1, steps(1.0)) == "");  // two workers are as slow as one

    // It has another shape, and is faster with every worker.
    CHECK(script.report(1, 1, 0.05, steps(9.0)) == "regroup 1 on 1,3 g1 b1");
    CHECK(script.report(1, 2, 0.04, steps(4.5)) == "regroup 1 on 1,3,4,5 g2 b1");
    CHECK(script.report(1, 3, 0.04, steps(2.25)) == "regroup 1 on 1,3,4,5,6,7,8,9 g3 b1");
}

TEST_CASE("with grow_when: goodput, one survivor tries what may cost something, and the others wait") {
    Script script{spec_when(GrowWhen::goodput)};
    script.join(4);
    const auto report = [&](int trial, int resource, double loss, double clock) {
        return script.apply(TrialReported{TrialId{trial}, Resource{resource}, loss, clock, steps(0.1)});
    };

    CHECK(report(0, 1, 0.1, 10) == "regroup 0 on 0,2 g1 b1");
    CHECK(report(1, 1, 0.05, 10) == "");  // it waits
    CHECK(script.apply(TrialRegrouped{TrialId{0}, 1, 5.0, 0.1}) == "");
    CHECK(report(1, 2, 0.04, 20) == "");  // two workers are as slow as one
    CHECK(script.sweep.num_free_slots() == 1);
}

namespace {

/// Two trials of one shape on three slots or more; the first tries two workers while the second waits.
struct OneTries : Script {
    explicit OneTries(int num_slots = 4, std::optional<double> expected_regroup = 5.0)
        : Script([&] {
              auto spec = spec_when(GrowWhen::goodput);
              spec.scheduler.expected_regroup = expected_regroup;
              return spec;
          }()) {
        join(num_slots);
        CHECK(report(0, 1, 0.1) == "regroup 0 on 0,2 g1 b1");
        CHECK(report(1, 1, 0.05) == "");
    }

    std::string report(int trial, int resource, double loss) {
        return apply(TrialReported{TrialId{trial}, Resource{resource}, loss, 10.0 * resource, steps(0.1)});
    }
    std::string tell(double step_seconds) { return apply(TrialRegrouped{TrialId{0}, 1, 5.0, step_seconds}); }
};

}  // namespace

TEST_CASE("a trial that waits for another one's try grows between its own reports, as soon as the result is known") {
    OneTries script;

    CHECK(script.tell(0.05) == "regroup 1 on 1,3 g1 b1");
    CHECK(script.report(1, 2, 0.04) == "");
}

TEST_CASE("a trial that waited for another one's try stays as it is if the try gained nothing, or no slots are free") {
    CHECK(OneTries().tell(0.1) == "");
    CHECK(OneTries(/*num_slots=*/3).tell(0.05) == "");
    CHECK(OneTries(4, /*expected_regroup=*/std::nullopt).tell(0.05) == "");  // its program would have to restart
}

TEST_CASE("a trial that waited for another one's try does not grow if it is about to leave its slots") {
    OneTries held;
    held.hold(1, HoldAt::report);
    CHECK(held.tell(0.05) == "");
    OneTries ending;
    ending.apply(DeadlineNear{});
    CHECK(ending.tell(0.05) == "");
}

TEST_CASE("if a trial stops during its try, the next trial tries at once") {
    OneTries script;
    CHECK(script.lose({SlotId{2}}) == "regroup 0 on 0 g2 b1");
    CHECK(script.stop(0) == "stop 0 requested; regroup 1 on 1,0 g1 b1");
}

TEST_CASE("a trial that fails during its try keeps no other trial waiting") {
    Script script{spec_when(GrowWhen::goodput)};
    script.join(4);
    const auto report = [&](int trial, int resource, double loss, double clock) {
        return script.apply(TrialReported{TrialId{trial}, Resource{resource}, loss, clock, steps(0.1)});
    };
    report(0, 1, 0.1, 10);
    CHECK(report(1, 1, 0.05, 10) == "");
    script.apply(TrialFailed{TrialId{0}, FailureKind::repeated_error});
    script.apply(TrialFailed{TrialId{0}, FailureKind::repeated_error});
    script.apply(TrialFailed{TrialId{0}, FailureKind::repeated_error});

    CHECK(report(1, 2, 0.04, 20).starts_with("regroup 1 on"));
}

TEST_CASE("a regroup of an unknown trial is refused, and a regroup of a trial that ended changes nothing") {
    Script script{spec_when(GrowWhen::goodput)};
    script.join(4);

    CHECK_THROWS_AS(script.apply(TrialRegrouped{TrialId{9}, 0, 1.0}), InvalidInput);
    script.finish(0);
    CHECK(script.apply(TrialRegrouped{TrialId{0}, 0, 1.0}) == "");
}

namespace {

/// Trials with surplus slots, on which groups regroup in memory within 5 s.
struct Early : Script {
    explicit Early(int num_slots, GrowWhen when = GrowWhen::goodput, Switch surplus = Switch::on,
                   BatchPolicy batch = BatchPolicy::global)
        : Script([&] {
              auto spec = spec_when(when);
              spec.scheduler.surplus = surplus;
              spec.scheduler.batch = batch;
              spec.scheduler.expected_regroup = 5.0;
              return spec;
          }()) {
        join(num_slots);
    }

    /// The trial reports first steps of a tenth of a second.
    std::string begin(int trial, int generation = 0) {
        return apply(TrialTimed{TrialId{trial}, generation, steps(0.1)});
    }
    std::string tell(double step_seconds) { return apply(TrialRegrouped{TrialId{0}, 1, 5.0, step_seconds}); }
};

}  // namespace

TEST_CASE("if slots idle, trials grow before their first rung: one tries, then the others follow") {
    Early script(/*num_slots=*/8);

    CHECK(script.begin(0) == "regroup 0 on 0,2 g1 b1");
    CHECK(script.begin(1) == "");
    CHECK(script.tell(0.05) == "regroup 1 on 1,3 g1 b1");
    CHECK(script.trial(0).rungs_survived == 0);
}

TEST_CASE("trials do not grow before their first rung if that gains nothing") {
    Early script(/*num_slots=*/8);
    script.begin(0);
    script.begin(1);

    CHECK(script.tell(0.1) == "");
}

TEST_CASE("a trial that is slower with the workers of its try gives them back at once, or at its report") {
    Early script(/*num_slots=*/8);
    script.begin(0);
    script.begin(1);
    CHECK(script.tell(0.2) == "regroup 0 on 0 g2 b1; regroup 1 on 1,2 g1 b1");  // 1 tries once more
    CHECK(script.apply(TrialRegrouped{TrialId{1}, 1, 5.0, 0.2}) == "regroup 1 on 1 g2 b1");
    CHECK(script.report(0, 1, 0.1, steps(0.1)) == "");

    Early silent(/*num_slots=*/8);
    silent.begin(0);
    CHECK(silent.report(0, 1, 0.1, steps(0.2)) == "regroup 0 on 0 g2 b1");

    // Sweeps of older journals have no first steps, and must decide as before: nothing is given back now.
    CHECK(OneTries().tell(0.2) == "regroup 1 on 1,3 g1 b1");
}

TEST_CASE("a trial that is slower with its workers keeps them if a regroup costs more than it would save") {
    for (const double cost : {5.0, 1e6}) {
        Early script(/*num_slots=*/8);
        REQUIRE(script.apply(TrialTimed{TrialId{0}, 0, steps(0.1), 1280.0}) == "regroup 0 on 0,2 g1 b1");

        const bool pays = cost == 5.0;
        CHECK(script.apply(TrialRegrouped{TrialId{0}, 1, cost, 0.2}) == (pays ? "regroup 0 on 0 g2 b1" : ""));
    }
}

TEST_CASE("trials grow before their first rung only on slots that no other trial needs") {
    CHECK(Early(/*num_slots=*/2).begin(0) == "");  // none is free
    CHECK(Early(/*num_slots=*/1).begin(0) == "");  // another trial is to start
    Early lost(/*num_slots=*/3);
    lost.lose({SlotId{1}});  // trial 1 waits, and gets the free one
    CHECK(lost.begin(0) == "");
}

TEST_CASE("before its first rung, a trial grows only with surplus: on, grow_when: goodput and a batch that stays") {
    CHECK(Early(8, GrowWhen::goodput, Switch::on, BatchPolicy::ladder).begin(0) == "regroup 0 on 0,2 g1 b1");
    CHECK(Early(8, GrowWhen::goodput, Switch::on, BatchPolicy::adaptive).begin(0) == "regroup 0 on 0,2 g1 b1");
    CHECK(Early(8, GrowWhen::goodput, Switch::on, BatchPolicy::per_worker).begin(0) == "");
    CHECK(Early(8, GrowWhen::goodput, Switch::off).begin(0) == "");
    CHECK(Early(8, GrowWhen::faster).begin(0) == "");
    CHECK(Early(8, GrowWhen::always).begin(0) == "");
}

TEST_CASE("first steps do not make a trial grow if it is held, has reported, or has another group by now") {
    Early held(8);
    held.hold(0, HoldAt::report);
    CHECK(held.begin(0) == "");
    Early ending(8);
    ending.apply(DeadlineNear{});
    CHECK(ending.begin(0) == "");
    Early other(8);
    CHECK(other.begin(0, /*generation=*/1) == "");
    Early reported(8);
    const auto regrouped = reported.report(0, 1, 0.1, steps(0.1));
    CHECK(regrouped == "regroup 0 on 0,2 g1 b1");
    CHECK(reported.begin(0, /*generation=*/1) == "");
    CHECK_THROWS_AS(reported.begin(9), InvalidInput);
}

TEST_CASE("survivors get their slots before trials that grow early") {
    Early script(/*num_slots=*/3);
    CHECK(script.report(0, 1, 0.1, steps(0.1)) == "regroup 0 on 0,2 g1 b1");
    CHECK(script.begin(1) == "");
}

TEST_CASE("a slot that a trial claimed until another one's try ended goes to a new trial at once") {
    auto spec = spec_when(GrowWhen::goodput);
    spec.scheduler.priority = Priority::promotions_first;
    spec.scheduler.expected_regroup = 5.0;
    Script script{spec};
    script.join(4);
    const auto report = [&](int trial, double loss) {
        return script.apply(TrialReported{TrialId{trial}, Resource{1}, loss, 10.0, steps(0.1)});
    };
    CHECK(report(0, 0.1) == "regroup 0 on 0,2 g1 b1");
    CHECK(report(1, 0.05) == "");  // it waits, and claims slot 3
    CHECK(script.change_run_cap(3) == "");

    CHECK(script.apply(TrialRegrouped{TrialId{0}, 1, 5.0, 0.1}) == "start 2 on 3 g0 b1");
}

TEST_CASE("first steps change nothing without a time or a batch, if they are repeated, or without grow_when: goodput") {
    const auto short_of_one = [](GrowWhen when) {
        auto spec = spec_when(when, /*run_cap=*/1);
        spec.scheduler.surplus = Switch::on;
        spec.scheduler.workers = 4;
        Script script{spec};
        script.join(4);
        script.lose({SlotId{3}});
        return script;
    };
    auto empty = short_of_one(GrowWhen::goodput);
    auto twice = empty;
    auto other = short_of_one(GrowWhen::always);
    CHECK(twice.apply(TrialTimed{TrialId{0}, 1, steps(0.1)}) == "");
    for (auto* script : {&empty, &twice, &other}) {
        script->apply(SlotsJoined{slots(4, 1)});
    }

    CHECK(empty.apply(TrialTimed{TrialId{0}, 1, {}}) == "");
    CHECK(empty.apply(TrialTimed{TrialId{0}, 1, {0.1, {}, {}}}) == "");
    CHECK(twice.apply(TrialTimed{TrialId{0}, 1, steps(0.1)}) == "");
    CHECK(other.apply(TrialTimed{TrialId{0}, 1, steps(0.1)}) == "");
    CHECK(empty.apply(TrialTimed{TrialId{0}, 1, steps(0.1)}) == "regroup 0 on 0,1,2,4 g2 b1");
}

TEST_CASE("times of an older group do not make a trial give workers back") {
    Early script(/*num_slots=*/8);
    script.begin(0);
    script.hold(0, HoldAt::report);
    CHECK(script.tell(0.2) == "");  // it is held
    script.release(0);

    CHECK(script.apply(TrialRegrouped{TrialId{0}, 0, 5.0, 0.2}) == "");
    CHECK(script.tell(0.2) == "regroup 0 on 0 g2 b1");
}

TEST_CASE("a trial whose surplus workers make it slower returns to the number that it grew from") {
    auto spec = spec_when(GrowWhen::goodput);
    spec.scheduler.surplus = Switch::on;
    spec.scheduler.expected_regroup = 0.1;
    spec.scheduler.min = Resource{4};
    spec.scheduler.scaling_factor = 3;  // 1, 3 and 9 workers
    Script script{spec};
    script.join(16);
    CHECK(script.apply(TrialTimed{TrialId{0}, 0, steps(1.0)}) == "regroup 0 on 0,2 g1 b1");
    CHECK(script.apply(TrialRegrouped{TrialId{0}, 1, 0.1, 0.6}) == "");
    CHECK(script.report(0, 1, 0.5, steps(0.6)) == "regroup 0 on 0,2,3,4 g2 b1");

    CHECK(script.apply(TrialRegrouped{TrialId{0}, 2, 0.1, 0.9}) == "regroup 0 on 0,2 g3 b1");
}

TEST_CASE("with batch: adaptive, the batch of a trial that grew early grows once it has survived a rung") {
    auto spec = spec_when(GrowWhen::goodput);
    spec.scheduler.surplus = Switch::on;
    spec.scheduler.expected_regroup = 0.1;
    spec.scheduler.batch = BatchPolicy::adaptive;
    spec.scheduler.min = Resource{2};
    spec.scheduler.max_workers = 2;
    Script script{spec};
    script.join(8);
    const Steps noisy{0.6, 128.0, 1e9};
    CHECK(script.apply(TrialTimed{TrialId{0}, 0, steps(1.0)}) == "regroup 0 on 0,2 g1 b1");
    CHECK(script.report(0, 1, 0.5, noisy) == "");
    CHECK(script.trial(0).group.batch.multiple == 1);

    CHECK(script.report(0, 2, 0.5, noisy) == "");
    CHECK(script.trial(0).group.batch.multiple == 2);
}
