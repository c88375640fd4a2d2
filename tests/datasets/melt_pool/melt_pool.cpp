#include "datasets/melt_pool/melt_pool.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace crescendo;
using namespace crescendo::datasets;
using doctest::Approx;

namespace {

constexpr std::size_t size = 32;
constexpr double width = 1e-3;

MeltPool pool_after(const Laser& laser, double time) {
    MeltPool pool(laser, size, width);
    pool.advance_to(time);
    return pool;
}

double rise(const MeltPool& pool, std::size_t row, std::size_t column) {
    return pool.temperature()[row * size + column] - Steel::before;
}

}  // namespace

TEST_CASE("after a long time, a small spot heats the plate like Rosenthal's moving point source") {
    // D. Rosenthal, "The theory of moving sources of heat", Trans. ASME 68 (1946).
    const Laser laser{.power = 150, .speed = 0.8, .radius = 4e-6};
    MeltPool pool(laser, size, width);
    for (int interval = 1; interval <= 100; ++interval) {
        pool.advance_to(interval * interval * 2e-6);  // equal steps of the square root of time
    }

    for (const std::size_t column : {2U, 10U, 20U}) {  // at -670, -420 and -110 µm
        for (const std::size_t row : {15U, 13U}) {
            const double r = std::hypot(pool.along(column), pool.across(row));
            const double point = laser.absorptivity * laser.power / (2 * std::numbers::pi * Steel::conductivity * r) *
                                 std::exp(-laser.speed * (r + pool.along(column)) / (2 * Steel::diffusivity));
            CAPTURE(column);
            CAPTURE(row);
            CHECK(rise(pool, row, column) == Approx(point).epsilon(0.02));
        }
    }
}

TEST_CASE("a melt pool is symmetric across its path, lies behind the spot, and grows with time and power") {
    const auto pool = pool_after({}, 4e-4);
    const auto earlier = pool_after({}, 1e-4);
    const auto stronger = pool_after({.power = 400}, 4e-4);

    for (std::size_t row = 0; row < size; ++row) {
        for (std::size_t column = 0; column < size; ++column) {
            CHECK(rise(pool, row, column) == Approx(rise(pool, size - 1 - row, column)).epsilon(1e-12));
            CHECK(rise(stronger, row, column) == Approx(2 * rise(pool, row, column)).epsilon(1e-12));
            CHECK(rise(earlier, row, column) <= rise(pool, row, column) * (1 + 1e-3));
        }
    }
    CHECK(rise(pool, 16, 12) > 100 * rise(pool, 16, 31));
    CHECK(*std::max_element(pool.temperature().begin(), pool.temperature().end()) > Steel::melting);
}

TEST_CASE("many short steps heat the plate like one long step") {
    MeltPool steps({}, size, width);
    for (int frame = 1; frame <= 8; ++frame) {
        steps.advance_to(frame * 50e-6);
    }
    const auto once = pool_after({}, 8 * 50e-6);

    for (std::size_t i = 0; i < size * size; ++i) {
        CHECK(steps.temperature()[i] == Approx(once.temperature()[i]).epsilon(1e-3));
    }
}
