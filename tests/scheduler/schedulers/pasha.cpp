#include "scheduler/schedulers/pasha.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "tests/scheduler/schedulers/judge.hpp"

using namespace crescendo;

namespace {

SchedulerSpec pasha_spec(int min, int max) {
    SchedulerSpec spec;
    spec.kind = SchedulerKind::pasha;
    spec.min = Resource{min};
    spec.max = Resource{max};
    spec.reduction_factor = 2;
    return spec;
}

/// Four trials at the first rung, of which 0 and 1 are promoted.
Judge<Pasha> after_first_rung() {
    Judge<Pasha> pasha{pasha_spec(1, 8)};  // milestones 1, 2, 4, 8; open are 1 and 2
    for (const int trial : {0, 1, 2, 3}) {
        pasha.report(TrialId{trial}, 0, Resource{1}, 0.1 * (trial + 1));
    }
    pasha.scheduler.promote();
    pasha.scheduler.promote();
    return pasha;
}

/// The curve of a trial at resources 1 to 4, with rungs at 2 and 4.
void train(Judge<Pasha>& pasha, int trial, const std::vector<double>& losses) {
    for (int resource = 1; resource <= 4; ++resource) {
        pasha.report(TrialId{trial}, resource <= 2 ? 0 : 1, Resource{resource},
                     losses[static_cast<std::size_t>(resource - 1)]);
    }
}

}  // namespace

TEST_CASE("while the ranking is stable, nobody is promoted beyond the two lowest rungs") {
    auto pasha = after_first_rung();

    pasha.report(TrialId{0}, 1, Resource{2}, 0.05);
    pasha.report(TrialId{1}, 1, Resource{2}, 0.06);

    CHECK(pasha.scheduler.promotable() == std::nullopt);
}

TEST_CASE("a result that changes the ranking opens the next rung") {
    auto pasha = after_first_rung();

    pasha.report(TrialId{0}, 1, Resource{2}, 0.05);
    pasha.report(TrialId{1}, 1, Resource{2}, 0.04);  // 0 was before 1

    CHECK(pasha.scheduler.promotable() == TrialId{1});
    pasha.scheduler.promote();
    CHECK(pasha.report(TrialId{1}, 2, Resource{4}, 0.03).verdict == Verdict::pause);
    CHECK(pasha.scheduler.promotable() == std::nullopt);  // the rung at 8 is closed
}

TEST_CASE("trials that are closer at the lower rung than noise may change places") {
    Judge<Pasha> pasha{pasha_spec(2, 16)};  // milestones 2, 4, 8, 16
    // 0 and 1 are in this order at 2, in the other at 3, and in this one at 4, where they are 0.05 apart: noise.
    train(pasha, 0, {0.5, 0.30, 0.50, 0.40});
    train(pasha, 1, {0.4, 0.40, 0.40, 0.45});

    train(pasha, 2, {0.6, 0.33, 0.45, 0.38});  // behind 0 at 2 by 0.03, before it at 4

    pasha.scheduler.promote();  // the first rung's best of three
    CHECK(pasha.scheduler.promotable() == std::nullopt);
}

TEST_CASE("without noise the same change of places opens the next rung") {
    Judge<Pasha> pasha{pasha_spec(2, 16)};
    train(pasha, 0, {0.5, 0.30, 0.50, 0.40});

    train(pasha, 2, {0.6, 0.33, 0.45, 0.38});

    CHECK(pasha.scheduler.promotable() == TrialId{2});  // from the rung at 4
}

TEST_CASE("with one rung alone a trial is complete there") {
    Judge<Pasha> pasha{pasha_spec(4, 4)};

    CHECK(pasha.report(TrialId{0}, 0, Resource{4}, 0.5).verdict == Verdict::complete);
}
