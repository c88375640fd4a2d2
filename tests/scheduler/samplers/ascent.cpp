#include "scheduler/samplers/ascent.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "core/random.hpp"

using namespace crescendo;
using doctest::Approx;

namespace {

constexpr Ascent usual{.most_steps = 100, .longest_step = 0.5, .least_step = 1e-7};

Height rosenbrock(const std::vector<double>& at) {
    const double x = at[0];
    const double away = at[1] - x * x;
    return {-(1 - x) * (1 - x) - 100 * away * away, {2 * (1 - x) + 400 * x * away, -200 * away}};
}

}  // namespace

TEST_CASE("an ascent finds the top of a curved ridge") {
    const auto top = ascend(rosenbrock, {-1.2, 1}, {{-2, -2}, {2, 2}}, usual);

    CHECK(top[0] == Approx(1).epsilon(1e-4));
    CHECK(top[1] == Approx(1).epsilon(1e-4));
}

TEST_CASE("an ascent stays in its box and climbs along a border") {
    const auto top = ascend(rosenbrock, {-1.2, 1}, {{-2, 0.9}, {0.5, 2}}, usual);

    // The top is on the lower border of y. There, x is at its own border or has no slope.
    CHECK(top[0] <= 0.5);
    CHECK(top[1] == 0.9);
    CHECK(std::abs(rosenbrock(top).gradient[0]) < 1e-4);
}

TEST_CASE("a coordinate whose box is a point does not move") {
    const auto top = ascend(rosenbrock, {0.3, 1.5}, {{0.3, -2}, {0.3, 2}}, usual);

    CHECK(top[0] == 0.3);
    CHECK(top[1] == Approx(0.09).epsilon(1e-6));
}

TEST_CASE("an ascent ends no lower than it began, and finds the top of any concave quadratic in a box") {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 0);
        const std::size_t n = 1 + static_cast<std::size_t>(random.uniform() * 8);
        std::vector<double> steep(n);
        std::vector<double> middle(n);
        std::vector<double> from(n);
        Box box{std::vector<double>(n), std::vector<double>(n, 1)};
        for (std::size_t i = 0; i < n; ++i) {
            steep[i] = std::exp(6 * random.uniform() - 3);
            middle[i] = 2 * random.uniform() - 0.5;
            from[i] = random.uniform();
        }
        const auto hill = [&](const std::vector<double>& at) {
            Height result{0, std::vector<double>(n)};
            for (std::size_t i = 0; i < n; ++i) {
                CHECK(at[i] >= 0);
                CHECK(at[i] <= 1);
                const double away = at[i] - middle[i];
                result.value -= steep[i] * away * away;
                result.gradient[i] = -2 * steep[i] * away;
            }
            return result;
        };

        const auto top = ascend(hill, from, box, usual);

        CHECK(hill(top).value >= hill(from).value);
        for (std::size_t i = 0; i < n; ++i) {
            CHECK(top[i] == Approx(std::min(std::max(middle[i], 0.0), 1.0)).epsilon(1e-3));
        }
    }
}

TEST_CASE("an ascent ends at a number even if the function is NaN in places") {
    const auto half = [](const std::vector<double>& at) {
        return at[0] > 0.5 ? Height{NAN, {NAN}} : Height{at[0], {1}};
    };

    const auto top = ascend(half, {0}, {{0}, {1}}, usual);

    CHECK(top[0] > 0.4);
    CHECK(top[0] <= 0.5);
}
