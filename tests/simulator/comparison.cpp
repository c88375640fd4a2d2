#include "simulator/comparison.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace crescendo;
using namespace crescendo::simulator;

namespace {

Summary run(double makespan, std::vector<BestSoFar> best) {
    Summary summary;
    summary.makespan = makespan;
    summary.slots = 2;
    summary.slot_seconds_used = makespan;
    summary.best_over_time = std::move(best);
    if (!summary.best_over_time.empty()) {
        summary.best_loss = summary.best_over_time.back().loss;
    }
    return summary;
}

}  // namespace

TEST_CASE("policies are compared seed by seed with the first one") {
    const auto result = compare({{"slow", {run(100, {}), run(400, {})}}, {"fast", {run(50, {}), run(100, {})}}});

    CHECK(result[0].speedup.mean == doctest::Approx(1));
    CHECK(result[1].speedup.mean == doctest::Approx(std::sqrt(2.0 * 4.0)));
    CHECK(result[1].makespan.mean == 75);
    CHECK(result[1].utilization.mean == 0.5);
    CHECK_FALSE(result[1].best_loss);
}

TEST_CASE("at equal time, the slower policy has the loss that it had when the faster policy ended") {
    const auto slow = run(100, {{10, 0.5, {}, {}}, {50, 0.4, {}, {}}, {90, 0.1, {}, {}}});
    const auto fast = run(50, {{5, 0.3, {}, {}}});

    const auto result = compare({{"slow", {slow}}, {"fast", {fast}}});

    CHECK(result[0].loss_at_equal_time->mean == 0.4);
    CHECK(result[0].best_loss->mean == 0.1);
    CHECK(result[1].loss_at_equal_time->mean == 0.3);
}

TEST_CASE("a seed that never reaches the first policy's quality counts as infinitely slow") {
    const auto slow = run(100, {{10, 0.5, {}, {}}, {80, 0.2, {}, {}}});
    const auto fast = run(50, {{5, 0.3, {}, {}}, {20, 0.15, {}, {}}});
    const auto faster = run(50, {{10, 0.15, {}, {}}});
    const auto worse = run(50, {{5, 0.3, {}, {}}});

    const auto result = compare({{"slow", {slow, slow, slow}},
                                 {"fast", {fast, faster, worse}},
                                 {"worse", {worse, faster, worse}}});

    CHECK(result[0].speedup_to_quality == 1);
    CHECK(result[0].reaches_quality == 1);
    CHECK(result[1].speedup_to_quality == 4);  // 80 / 20, between 80 / 10 and never
    CHECK(result[1].reaches_quality == doctest::Approx(2.0 / 3));
    CHECK(result[2].speedup_to_quality == 0);
    CHECK(result[2].reaches_quality == doctest::Approx(1.0 / 3));
}

TEST_CASE("there is no quality to reach if the first policy reports nothing") {
    const auto result = compare({{"silent", {run(100, {})}}, {"other", {run(50, {{5, 0.3, {}, {}}})}}});

    CHECK_FALSE(result[1].speedup_to_quality);
    CHECK(result[1].reaches_quality == 0);
}
