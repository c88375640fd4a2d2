#include "analysis/time_to_target.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/random.hpp"

using namespace crescendo::analysis;
using crescendo::CounterRandom;

namespace {

struct Sample {
    double seconds;
    double loss;
};

Curve loss_curve(const std::vector<Sample>& samples) {
    Curve curve;
    for (const auto& [seconds, loss] : samples) {
        curve.add({.seconds = seconds, .loss = loss});
    }
    return curve;
}

/// A trial that meets a loss of 0 at `seconds`.
Curve hits_at(double seconds) { return loss_curve({{seconds / 2, 1}, {seconds, 0}}); }

const Curve misses = loss_curve({{1, 1}, {2, 0.5}});

}  // namespace

TEST_CASE("the first point that meets the target counts, also if the curve gets worse again") {
    const auto curve = loss_curve({{10, 0.5}, {20, 0.3}, {30, 0.6}, {40, 0.1}});

    CHECK(time_to_target(curve, {.loss = 0.5}) == 10);  // equal is enough
    CHECK(time_to_target(curve, {.loss = 0.4}) == 20);
    CHECK(time_to_target(curve, {.loss = 0.2}) == 40);
    CHECK(time_to_target(curve, {.loss = 0.05}) == missed);
    CHECK(first_to_meet(curve, {.loss = 0.4}) == &curve.points()[1]);
    CHECK(first_to_meet(curve, {.loss = 0.05}) == nullptr);
    CHECK(time_to_target(Curve(), {.loss = 1}) == missed);
}

TEST_CASE("a target that is met too late is missed") {
    const auto curve = loss_curve({{10, 0.5}, {20, 0.3}});

    CHECK(time_to_target(curve, {.loss = 0.3, .max_seconds = 20}) == 20);
    CHECK(time_to_target(curve, {.loss = 0.3, .max_seconds = 19.5}) == missed);
}

TEST_CASE("a diverged training meets no target") {
    CHECK(time_to_target(loss_curve({{1, missed}}), {.loss = 1e300}) == missed);
}

TEST_CASE("the fastest trial of a study counts") {
    CHECK(time_to_target(Study{hits_at(30), misses, hits_at(20)}, {.loss = 0}) == 20);
    CHECK(time_to_target(Study{misses}, {.loss = 0}) == missed);
    CHECK(time_to_target(Study(), {.loss = 0}) == missed);
}

TEST_CASE("the median of several studies counts, with infinity for a study that missed") {
    const auto of = [](const std::vector<Study>& studies) { return time_to_target(studies, {.loss = 0}); };

    CHECK(of({{hits_at(30)}}) == 30);
    CHECK(of({{hits_at(30)}, {hits_at(10)}, {hits_at(20)}}) == 20);
    CHECK(of({{hits_at(30)}, {misses}, {hits_at(20)}}) == 30);
    CHECK(of({{misses}, {misses}, {hits_at(20)}}) == missed);
    CHECK(of({{hits_at(30)}, {hits_at(10)}}) == 20);  // the mean of the two
    CHECK(of({{misses}, {hits_at(10)}}) == missed);   // the mean of 10 and infinity
}

TEST_CASE("a harder target never takes less time, and the order of trials and studies does not matter") {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        CounterRandom random(seed, 0);
        std::vector<Study> studies(1 + random.below(4));
        for (auto& study : studies) {
            study.resize(1 + random.below(4));
            for (auto& curve : study) {
                double seconds = 0;
                for (std::uint64_t i = random.below(6); i > 0; --i) {
                    seconds += random.uniform();
                    curve.add({.seconds = seconds, .loss = random.uniform()});
                }
            }
        }
        const double easy = time_to_target(studies, {.loss = 0.6, .max_seconds = 2});
        CHECK(easy <= time_to_target(studies, {.loss = 0.3, .max_seconds = 2}));
        CHECK(easy <= time_to_target(studies, {.loss = 0.6, .max_seconds = 1}));

        std::reverse(studies.begin(), studies.end());
        for (auto& study : studies) {
            std::reverse(study.begin(), study.end());
        }
        CHECK(easy == time_to_target(studies, {.loss = 0.6, .max_seconds = 2}));
    }
}
