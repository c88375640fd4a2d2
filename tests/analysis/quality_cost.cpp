#include "analysis/quality_cost.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/random.hpp"
#include "tests/analysis/infinity.hpp"

using namespace crescendo::analysis;
using crescendo::CounterRandom;
using crescendo::tests::infinity;

namespace {

Point point(double seconds, double cost, double loss) { return {.seconds = seconds, .cost = cost, .loss = loss}; }

Curve curve_of(const std::vector<Point>& points) {
    Curve curve;
    for (const auto& each : points) {
        curve.add(each);
    }
    return curve;
}

using Indices = std::vector<std::size_t>;

}  // namespace

TEST_CASE("a Pareto set has the points that nothing beats, in the order of the axis") {
    const std::vector points{point(3, 1, 0.2), point(1, 2, 0.5), point(2, 3, 0.6), point(4, 4, 0.2), point(5, 5, 0.1)};

    CHECK(pareto_set(points, Axis::seconds) == Indices{1, 0, 4});
    CHECK(pareto_set(points, Axis::cost) == Indices{0, 4});
    CHECK(pareto_set({}, Axis::cost).empty());
}

TEST_CASE(
    "only the first of equal points is in the Pareto set, and a diverged point is not if another is equally cheap") {
    CHECK(pareto_set(std::vector{point(1, 1, 0.5), point(1, 1, 0.5)}, Axis::cost) == Indices{0});
    CHECK(pareto_set(std::vector{point(1, 1, infinity), point(1, 1, 0.5)}, Axis::cost) == Indices{1});
}

TEST_CASE("the envelope of trials has each improvement of the best") {
    const auto slow = curve_of({point(2, 1, 0.9), point(4, 2, 0.3), point(6, 3, 0.4)});
    const auto fast = curve_of({point(1, 5, 0.8), point(3, 6, 0.7), point(5, 7, 0.1)});

    const auto over_time = best_so_far(std::vector{slow, fast}, Axis::seconds);
    const auto over_cost = best_so_far(std::vector{slow, fast}, Axis::cost);

    CHECK(over_time == std::vector{point(1, 5, 0.8), point(3, 6, 0.7), point(4, 2, 0.3), point(5, 7, 0.1)});
    CHECK(over_cost == std::vector{point(2, 1, 0.9), point(4, 2, 0.3), point(5, 7, 0.1)});
}

TEST_CASE("an envelope gives the best loss at a price") {
    const std::vector envelope{point(1, 0, 0.8), point(3, 0, 0.5), point(7, 0, 0.2)};

    CHECK(loss_at(envelope, Axis::seconds, 0.9) == infinity);
    CHECK(loss_at(envelope, Axis::seconds, 1) == 0.8);
    CHECK(loss_at(envelope, Axis::seconds, 6.9) == 0.5);
    CHECK(loss_at(envelope, Axis::seconds, 100) == 0.2);
}

TEST_CASE("the median envelope has a point where the median of the searches, or its interval, improves") {
    const std::vector<std::vector<Point>> envelopes{
        {point(1, 0, 0.9), point(4, 0, 0.5)}, {point(2, 0, 0.8), point(3, 0, 0.7)}, {point(5, 0, 0.1)}};

    const auto medians = median_envelope(envelopes, Axis::seconds);

    // 1: 0.9 and two misses; 2: 0.9, 0.8, missed; 3: 0.9, 0.7, missed; 4: 0.5, 0.7, missed; 5: 0.5, 0.7, 0.1.
    REQUIRE(medians.size() == 4);
    CHECK(medians[0].price == 2);
    CHECK(medians[0].loss == 0.9);
    CHECK(medians[0].interval == Interval{0.8, infinity});
    CHECK(medians[1].price == 3);
    CHECK(medians[1].loss == 0.9);
    CHECK(medians[1].interval == Interval{0.7, infinity});
    CHECK(medians[2].price == 4);
    CHECK(medians[2].loss == 0.7);
    CHECK(medians[3].price == 5);
    CHECK(medians[3].loss == 0.5);
    CHECK(median_envelope(std::vector<std::vector<Point>>(1), Axis::seconds).empty());
    CHECK(median_envelope(std::vector(1, envelopes[1]), Axis::seconds)[1].interval == Interval{0.7, 0.7});
}

TEST_CASE("the interval of a median envelope ends as that of the searches' final losses, not as of the last median") {
    const std::vector<std::vector<Point>> envelopes{
        {point(1, 0, 0.5)}, {point(2, 0, 0.9), point(5, 0, 0.6)}, {point(3, 0, 0.8), point(4, 0, 0.1)}};

    const auto medians = median_envelope(envelopes, Axis::seconds);

    // From 4 on the losses are 0.5, 0.9 and 0.1; from 5 on 0.5, 0.6 and 0.1. The median stays 0.5.
    CHECK(medians.back().price == 5);
    CHECK(medians.back().loss == 0.5);
    CHECK(medians.back().interval == Interval{0.1, 0.6});
}

TEST_CASE("nothing beats a point of the Pareto set, and something beats or equals every other point") {
    const auto beats = [](const Point& a, const Point& b) {
        return a.cost <= b.cost && a.loss <= b.loss && (a.cost < b.cost || a.loss < b.loss);
    };
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        CounterRandom random(seed, 0);
        std::vector<Point> points(random.below(20));
        for (auto& each : points) {  // few different values, so that many are equal
            each = point(0, static_cast<double>(random.below(6)), static_cast<double>(random.below(6)));
        }
        const auto set = pareto_set(points, Axis::cost);
        for (std::size_t i = 0; i < points.size(); ++i) {
            const bool is_in = std::ranges::find(set, i) != set.end();
            const bool is_beaten =
                std::ranges::any_of(points, [&](const Point& other) { return beats(other, points[i]); });
            const bool is_doubled = std::ranges::find(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(i),
                                                      points[i]) != points.begin() + static_cast<std::ptrdiff_t>(i);
            CHECK(is_in == (!is_beaten && !is_doubled));
        }
    }
}

TEST_CASE("an envelope is the least loss of any curve up to each time, and falls strictly") {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        CounterRandom random(seed, 1);
        std::vector<Curve> curves(random.below(5));
        for (auto& curve : curves) {
            double seconds = 0;
            for (auto i = random.below(8); i > 0; --i) {
                seconds += static_cast<double>(random.below(3));
                curve.add(point(seconds, 0, static_cast<double>(random.below(9))));
            }
        }
        const auto envelope = best_so_far(curves, Axis::seconds);
        for (std::size_t i = 1; i < envelope.size(); ++i) {
            CHECK(envelope[i].seconds > envelope[i - 1].seconds);
            CHECK(envelope[i].loss < envelope[i - 1].loss);
        }
        for (double seconds = 0; seconds < 20; ++seconds) {
            double least = infinity;
            for (const auto& curve : curves) {
                for (const auto& each : curve.points()) {
                    least = each.seconds <= seconds ? std::min(least, each.loss) : least;
                }
            }
            CHECK(loss_at(envelope, Axis::seconds, seconds) == least);
        }
    }
}
