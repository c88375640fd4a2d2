#include "scheduler/schedulers/median.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tests/scheduler/schedulers/judge.hpp"

using namespace crescendo;

namespace {

SchedulerSpec median_spec(int min, int max) {
    SchedulerSpec spec;
    spec.kind = SchedulerKind::median;
    spec.min = Resource{min};
    spec.max = Resource{max};
    return spec;
}

Judge<Median> after_three(int resource = 1) {
    Judge<Median> median{median_spec(1, 9)};
    for (const int trial : {0, 1, 2}) {
        CHECK(median.report(TrialId{trial}, 0, Resource{resource}, 0.1 * (trial + 1)).verdict == Verdict::go_on);
    }
    return median;
}

}  // namespace

TEST_CASE("a trial that is worse than the median of three others stops") {
    CHECK(after_three().report(TrialId{3}, 0, Resource{1}, 0.21).verdict == Verdict::stop);
    CHECK(after_three().report(TrialId{3}, 0, Resource{1}, 0.2).verdict == Verdict::go_on);
}

TEST_CASE("the median rule compares a trial's best loss so far with the running averages of the others") {
    auto median = after_three(/*resource=*/2);
    median.report(TrialId{3}, 0, Resource{1}, 0.15);

    CHECK(median.report(TrialId{3}, 0, Resource{2}, 0.9).verdict == Verdict::go_on);  // its best is 0.15
    // Averages at 2: 0.1, 0.2, 0.3 and (0.15 + 0.9) / 2 = 0.525, so that the median is 0.25.
    CHECK(median.report(TrialId{4}, 0, Resource{2}, 0.24).verdict == Verdict::go_on);
}

TEST_CASE("no trial is judged below min or at the maximum") {
    Judge<Median> median{median_spec(2, 4)};
    for (const int trial : {0, 1, 2, 3}) {
        CHECK(median.report(TrialId{trial}, 0, Resource{1}, trial).verdict == Verdict::go_on);
        CHECK(median.report(TrialId{trial}, 0, Resource{4}, trial).verdict == Verdict::complete);
    }
    CHECK(median.size_of_rung(0) == 4);
    CHECK(median.scheduler.next_milestone(0, 0) == Resource{4});
}

TEST_CASE("a diverged trial stops unless the others have diverged too") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    auto median = after_three();

    CHECK(median.report(TrialId{3}, 0, Resource{1}, infinity).verdict == Verdict::stop);

    Judge<Median> all_diverge{median_spec(1, 9)};
    for (int trial = 0; trial < 5; ++trial) {
        CHECK(all_diverge.report(TrialId{trial}, 0, Resource{1}, infinity).verdict == Verdict::go_on);
    }
}
