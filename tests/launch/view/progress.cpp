#include "launch/view/progress.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "tests/launch/view/told.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::Told;

namespace {

/// The number of trials that reached each rung that is shown.
std::vector<std::size_t> sizes_of_rungs(const Sweep& sweep) {
    std::vector<std::size_t> sizes;
    for (const auto& rung : shown_rungs(sweep)) {
        sizes.push_back(rung.size);
    }
    return sizes;
}

}  // namespace

TEST_CASE("progress is between 0 and 1 while trials run, and ends at 1") {
    Told told(2);
    told.tell(110.0, TrialReported{TrialId{0}, Resource{1}, 0.5});
    const auto early = progress_of(told.history, 110.0, {});
    told.tell(111.0, TrialReported{TrialId{1}, Resource{1}, 0.9});  // worse: stopped
    told.tell(130.0, TrialReported{TrialId{0}, Resource{9}, 0.4});
    const auto end = progress_of(told.history, 130.0, {});

    CHECK(*early.fraction > 0.0);
    CHECK(*early.fraction < 1.0);
    CHECK(*early.seconds_left > 0.0);
    CHECK(*end.fraction == 1.0);
    CHECK(end.stopped == 1);
    CHECK(end.finished == 1);
}

TEST_CASE("repetitions that were stopped before they began do not count as trials that have begun") {
    auto spec = Told::spec_of(1);
    spec.repeat.times = 3;
    Told told(std::move(spec));  // two slots, so the third repetition waits
    told.tell(110.0, TrialStopped{TrialId{0}});

    const auto progress = progress_of(told.history, 110.0, {});

    CHECK(told.history.sweep().count(TrialStatus::stopped) == 3);
    CHECK(progress.stopped == 2);
    CHECK(progress.begun() == 2);
    CHECK(num_begun(told.history.sweep()) == 2);
}

TEST_CASE("without a max, trials are expected to end where the longest ended, and no final rung is shown") {
    auto spec = Told::spec_of(3);
    spec.scheduler.max = unlimited_resource;
    Told told(spec);
    told.tell(110.0, TrialReported{TrialId{0}, Resource{1}, 0.5});
    const auto early = progress_of(told.history, 110.0, {});
    told.tell(120.0, TrialReported{TrialId{0}, Resource{2}, 0.4});
    told.tell(120.0, TrialFinished{TrialId{0}});
    const auto later = progress_of(told.history, 120.0, {});

    CHECK_FALSE(early.fraction);
    CHECK_FALSE(early.seconds_left);
    CHECK(*later.fraction == doctest::Approx(2.0 / (2.0 + 1.5 + 1.5)));  // each of the other two survives by 1/2
    CHECK(shown_rungs(told.history.sweep()).size() == 1);
}

TEST_CASE("without a max and without rungs there is no rung to show") {
    SweepSpec spec;
    spec.metric = "loss";
    spec.run_cap = 1;
    spec.scheduler.kind = SchedulerKind::fifo;
    spec.scheduler.max = unlimited_resource;
    Told told(spec);
    told.tell(110.0, TrialReported{TrialId{0}, Resource{1}, 0.5});

    CHECK(shown_rungs(told.history.sweep()).empty());
}

TEST_CASE("a time budget bounds the estimate") {
    Told told(1000);
    told.tell(110.0, TrialReported{TrialId{0}, Resource{1}, 0.5});

    const auto progress = progress_of(told.history, 150.0, 200.0);

    CHECK(*progress.fraction == doctest::Approx(0.25));
    CHECK(*progress.seconds_left == doctest::Approx(150.0));
}

TEST_CASE("the estimate of the time left ignores slots that the last trials cannot use") {
    const auto seconds_left = [](int trials, const SchedulerSpec& scheduler) {
        SweepSpec spec;
        spec.metric = "loss";
        spec.run_cap = trials;
        spec.scheduler = scheduler;
        Told told(spec);  // has two slots
        SlotsJoined joined;
        for (int slot = 2; slot < 16; ++slot) {
            joined.slots.push_back({SlotId{slot}, NodeId{0}});
        }
        told.tell(100.0, joined);
        told.tell(130.0, TrialReported{TrialId{0}, Resource{3}, 0.5});
        return *progress_of(told.history, 130.0, {}).seconds_left;
    };
    SchedulerSpec fifo;
    fifo.kind = SchedulerKind::fifo;
    fifo.max = Resource{9};
    auto few = fifo;
    few.max_concurrent = 1;
    auto wide = fifo;
    wide.workers = 2;
    SchedulerSpec rasda;
    rasda.min = rasda.max = Resource{9};
    rasda.max_workers = 2;
    rasda.surplus = Switch::off;

    CHECK(seconds_left(1, fifo) == doctest::Approx(60));  // 3 of 9 took 30 s
    CHECK(seconds_left(2, few) == doctest::Approx(60 + 90));
    CHECK(seconds_left(1, wide) == doctest::Approx(60));
    CHECK(seconds_left(1, rasda) == doctest::Approx(60.0 / 2));  // may grow to two workers
}

TEST_CASE("a trial that a rung stops or pauses does not count at higher rungs, however far its report went") {
    for (const auto mode : {Mode::stop, Mode::promote}) {
        auto spec = Told::spec_of(2);
        spec.scheduler.mode = mode;
        Told told(spec);
        told.tell(110.0, TrialReported{TrialId{0}, Resource{4}, 0.1});  // rungs are at 1, 3 and 9
        told.tell(111.0, TrialReported{TrialId{1}, Resource{4}, 0.2});

        // The first trial continues unless trials pause at rungs; neither of two paused trials is promoted.
        const std::size_t num_at_second = mode == Mode::stop ? 1 : 0;
        CHECK(sizes_of_rungs(told.history.sweep()) == std::vector<std::size_t>{2, num_at_second, 0});
    }
}

TEST_CASE("a trial that trained to the end counts at every rung") {
    Told told(2);
    told.tell(110.0, TrialReported{TrialId{0}, Resource{9}, 0.1});

    CHECK(sizes_of_rungs(told.history.sweep()) == std::vector<std::size_t>{1, 1, 1});
}
