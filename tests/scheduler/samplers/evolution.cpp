#include "scheduler/samplers/evolution.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

using namespace crescendo;

namespace {

using Point = Evolution::Point;

/// A parameter with four categories.
const Axis quarters{.is_categorical = true, .cell = 0.25, .categories = {0.125, 0.375, 0.625, 0.875}};

/// An evolution after some generations, and the mean of what it samples then.
struct Searched {
    Evolution evolution;
    Point mean;
};

Searched search(std::vector<Axis> axes, int population, int num_generations,
                const std::function<double(const Point&)>& loss, std::uint64_t seed = 1) {
    const auto num_axes = axes.size();
    Evolution evolution(std::move(axes), Point(num_axes, 0.5), population);
    CounterRandom random(seed, 0);
    for (int i = 0; i < num_generations; ++i) {
        std::vector<Point> points;
        for (int k = 0; k < population; ++k) {
            points.push_back(evolution.sample(random));
        }
        std::ranges::stable_sort(points, {}, loss);
        evolution.update(points);
    }
    Point mean(num_axes, 0.0);
    for (int k = 0; k < 100; ++k) {
        const auto point = evolution.sample(random);
        for (std::size_t i = 0; i < num_axes; ++i) {
            mean[i] += point[i] / 100;
        }
    }
    return {std::move(evolution), mean};
}

}  // namespace

TEST_CASE("an evolution converges on the minimum of a long valley that is not parallel to an axis") {
    const auto loss = [](const Point& p) {  // condition 10,000
        return 1e4 * std::pow(p[0] + p[1] - 1.1, 2) + std::pow(p[0] - p[1] - 0.3, 2) + std::pow(p[2] - 0.2, 2);
    };

    const auto [evolution, mean] = search(std::vector<Axis>(3), 10, 150, loss);

    CHECK(loss(mean) < 1e-6);
}

TEST_CASE("an evolution reports when it has converged, not earlier") {
    const auto loss = [](const Point& p) { return std::pow(p[0] - 0.7, 2) + std::pow(p[1] - 0.4, 2); };

    CHECK(!search(std::vector<Axis>(2), 8, 10, loss).evolution.has_converged());
    CHECK(search(std::vector<Axis>(2), 8, 100, loss).evolution.has_converged());
}

TEST_CASE("a minimum on the border is found") {
    const auto loss = [](const Point& p) { return p[0] + (1 - p[1]); };

    const auto mean = search(std::vector<Axis>(2), 8, 60, loss).mean;

    CHECK(mean[0] < 0.01);
    CHECK(mean[1] > 0.99);
}

TEST_CASE("a better category becomes the usual one, but no other is given up") {
    const auto loss = [](const Point& p) { return (p[0] >= 0.5 && p[0] < 0.75 ? 0.0 : 1.0) + std::abs(p[1] - 0.3); };

    const auto searched = search({quarters, {}}, 10, 40, loss);

    CounterRandom random(5, 0);
    int num_best = 0;
    int num_first = 0;
    for (int i = 0; i < 2000; ++i) {
        const auto point = searched.evolution.sample(random);
        num_best += point[0] >= 0.5 && point[0] < 0.75;
        num_first += point[0] < 0.25;
    }
    CHECK(num_best > 1600);
    CHECK(num_first > 5);
}

TEST_CASE("a whole number keeps trying its neighbours") {
    const auto loss = [](const Point& p) { return std::abs(std::floor(p[0] * 10) - 3); };

    const auto searched = search({{.cell = 0.1, .discrete = IntUniform{0, 9}}}, 10, 100, loss);

    CounterRandom random(5, 0);
    int num_others = 0;
    for (int i = 0; i < 1000; ++i) {
        num_others += std::floor(searched.evolution.sample(random)[0] * 10) != 3;
    }
    CHECK(num_others > 10);
    CHECK(num_others < 700);
}

TEST_CASE("a distant point or missing coordinates do not throw an evolution off") {
    const std::vector<Point> near{{0.5, 0.5}, {0.501, 0.5}, {0.5, 0.501}, {0.499, 0.5}};
    Evolution evolution(std::vector<Axis>(2), {0.5, 0.5}, 4);
    for (int i = 0; i < 40; ++i) {
        evolution.update(near);
    }
    evolution.update({{0.99, 0.01}, {0.5, -1}, {-1, -1}, {0.5, 0.5}});

    CounterRandom random(1, 0);
    for (int i = 0; i < 100; ++i) {
        const auto point = evolution.sample(random);
        CHECK(std::abs(point[0] - 0.5) < 0.4);
        CHECK(std::abs(point[1] - 0.5) < 0.4);
    }
}

TEST_CASE("an evolution does not become narrow along an axis that good points lack") {
    for (const int num_lacking : {5, 9}) {  // of ten
        double sum_of_logs = 0;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            Evolution evolution(std::vector<Axis>(2), {0.5, 0.5}, 10);
            CounterRandom random(seed, 0);
            const auto draw = [&](int count) {
                std::vector<Point> points;
                std::generate_n(std::back_inserter(points), count, [&] { return evolution.sample(random); });
                return points;
            };
            for (int i = 0; i < 20; ++i) {  // the order is chance, so the axes should stay alike
                auto points = draw(10);
                for (int k = 0; k < num_lacking; ++k) {
                    points[static_cast<std::size_t>((i + k) % 10)][1] = -1;
                }
                evolution.update(points);
            }
            double squares[2] = {0, 0};
            for (const auto& point : draw(200)) {
                squares[0] += std::pow(point[0] - 0.5, 2);
                squares[1] += std::pow(point[1] - 0.5, 2);
            }
            sum_of_logs += std::log(squares[1] / squares[0]) / 2;
        }
        const double ratio = std::exp(sum_of_logs / 20);
        CHECK(ratio > 0.6);
        CHECK(ratio < 1.6);
    }
}

TEST_CASE("points stay in the cube after any update of an evolution") {
    CounterRandom random(3, 0);
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        std::vector<Axis> axes;
        for (std::uint64_t i = 0; i <= random.below(6); ++i) {
            axes.push_back(random.below(3) == 0   ? quarters
                           : random.below(2) == 0 ? Axis{}
                                                  : Axis{.cell = 0.125, .discrete = IntUniform{1, 8}});
        }
        Evolution evolution(axes, Point(axes.size(), random.uniform()), 4);
        for (int i = 0; i < 30; ++i) {
            std::vector<Point> told;
            for (int k = 0; k < 4; ++k) {
                told.push_back(evolution.sample(random));
                for (auto& each : told.back()) {
                    const auto kind = random.below(8);
                    each = kind == 0 ? Evolution::Point::value_type{-1} : kind == 1 ? random.uniform() : each;
                }
            }
            evolution.update(told);
            const auto point = evolution.sample(random);
            REQUIRE(std::ranges::all_of(point, [](double x) { return x >= 0 && x < 1; }));
        }
    }
}

TEST_CASE("a number with cells of unequal length keeps trying its neighbours, even from its longest cell") {
    const Distribution powers = QLogUniformValues{16, 1024, 16};
    const SearchSpace space{{{"x", powers}}};
    const auto value = [&](const Point& p) { return std::get<double>(value_at(powers, p[0])); };

    const auto searched = search(Axis::all_of(space), 10, 100, [&](const Point& p) { return value(p); });

    CounterRandom random(5, 0);
    int num_others = 0;
    for (int i = 0; i < 1000; ++i) {
        num_others += value(searched.evolution.sample(random)) != 16;
    }
    CHECK(num_others > 10);
    CHECK(num_others < 700);
}
