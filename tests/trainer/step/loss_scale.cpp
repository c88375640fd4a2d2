#include "trainer/step/loss_scale.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace crescendo::trainer;

namespace {

LossScale after(int finite_steps, LossScale scale = {}) {
    for (int i = 0; i < finite_steps; ++i) {
        scale.update(/*finite=*/true);
    }
    return scale;
}

}  // namespace

TEST_CASE("the loss scale is halved at each overflow and doubled after 2,000 steps without one") {
    LossScale scale;
    CHECK(scale.value() == 65536);

    CHECK(after(1999).value() == 65536);
    CHECK(after(2000).value() == 2 * 65536);
    CHECK(after(4000).value() == 4 * 65536);
    scale = after(1999);
    scale.update(/*finite=*/false);
    CHECK(scale.value() == 32768);
    CHECK(after(1999, scale).value() == 32768);  // the count starts at the overflow
    CHECK(after(2000, scale).value() == 65536);
}

TEST_CASE("a diverged trial leaves a scale that can still be divided by") {
    LossScale scale;
    for (int i = 0; i < 10'000; ++i) {
        scale.update(/*finite=*/false);
    }

    CHECK(scale.value() == 0x1p-32);
}

TEST_CASE("a scale continues from its state in JSON") {
    LossScale scale = after(1500);
    scale.update(/*finite=*/false);
    scale = after(1500, scale);

    const auto read = nlohmann::json::parse(nlohmann::json(scale).dump()).get<LossScale>();

    CHECK(read == scale);
    CHECK(after(500, read).value() == 65536);
}
