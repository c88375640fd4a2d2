#include "trainer/step/learning_rate.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

using namespace crescendo::trainer;

namespace {

LearningRateSchedule schedule(LearningRateScaling scaling, double rescale_warmup, double warmup = 0.0) {
    LearningRateSchedule schedule(scaling, warmup, rescale_warmup);
    schedule.follow(/*batch=*/10, /*epoch=*/0.0);
    return schedule;
}

}  // namespace

TEST_CASE("a trial's first batch has the base rate from the first step") {
    const auto rate = schedule(LearningRateScaling::linear, 1.0);

    CHECK(rate.factor(0.0) == 1.0);
    CHECK(rate.factor(7.0) == 1.0);
}

TEST_CASE("linear scaling raises the rate during the warm-up from the old value to that of the larger batch") {
    auto rate = schedule(LearningRateScaling::linear, /*rescale_warmup=*/2.0);

    rate.follow(40, /*epoch=*/3.0);

    CHECK(rate.factor(3.0) == 1.0);
    CHECK(rate.factor(4.0) == 2.5);  // 1 + (4 - 1) * 1/2
    CHECK(rate.factor(5.0) == 4.0);
    CHECK(rate.factor(9.0) == 4.0);
}

TEST_CASE("the warm-up starts from 0, and a batch that grows meanwhile has its own warm-up on top") {
    auto rate = schedule(LearningRateScaling::linear, /*rescale_warmup=*/1.0, /*warmup=*/4.0);

    CHECK(rate.factor(0.0) == 0.0);
    CHECK(rate.factor(1.0) == 0.25);

    rate.follow(20, /*epoch=*/2.0);

    CHECK(rate.factor(2.0) == 0.5);
    CHECK(rate.factor(2.5) == 0.9375);  // (1 + 1/2) * 2.5/4
    CHECK(rate.factor(3.0) == 1.5);     // 2 * 3/4
    CHECK(rate.factor(4.0) == 2.0);
}

TEST_CASE("square-root scaling uses the root of the growth, and no scaling ignores it") {
    auto root = schedule(LearningRateScaling::sqrt, 0.0);
    auto none = schedule(LearningRateScaling::none, 0.0);

    root.follow(40, 1.0);
    none.follow(40, 1.0);

    CHECK(root.factor(1.0) == 2.0);
    CHECK(none.factor(1.0) == 1.0);
}

TEST_CASE("a batch that grows during a warm-up continues from the current rate") {
    auto rate = schedule(LearningRateScaling::linear, 1.0);

    rate.follow(20, 1.0);
    rate.follow(40, 1.5);

    CHECK(rate.factor(1.5) == 1.5);   // 1 + (2 - 1) / 2
    CHECK(rate.factor(2.0) == 2.75);  // 1.5 + (4 - 1.5) / 2
    CHECK(rate.factor(2.5) == 4.0);
}

TEST_CASE("a batch that shrinks lowers the rate at once") {
    auto rate = schedule(LearningRateScaling::linear, 1.0);
    rate.follow(40, 1.0);

    rate.follow(20, 5.0);

    CHECK(rate.factor(5.0) == 2.0);
}

TEST_CASE("setting the same batch again does not restart the warm-up") {
    auto rate = schedule(LearningRateScaling::linear, 1.0);
    rate.follow(20, 1.0);

    rate.follow(20, 1.75);

    CHECK(rate.factor(1.75) == 1.75);
    CHECK(rate.factor(2.0) == 2.0);  // an epoch after the batch grew
}

TEST_CASE("a schedule continues elsewhere from its state in JSON") {
    auto rate = schedule(LearningRateScaling::linear, 1.0);
    rate.follow(30, 1.1);
    LearningRateSchedule elsewhere(LearningRateScaling::linear, /*warmup=*/0.0, /*rescale_warmup=*/1.0);

    const nlohmann::json state = rate.state();
    elsewhere.restore(nlohmann::json::parse(state.dump()).get<LearningRateSchedule::State>());

    CHECK(elsewhere.factor(1.3) == rate.factor(1.3));
}

TEST_CASE("a schedule's factor depends on the fraction of the trial and stays at its final value") {
    const auto factor = [](RateSettings settings, double used) { return rate_factor(settings, used, /*length=*/10.0); };
    const auto near = [](double value) { return doctest::Approx(value).epsilon(1e-12); };

    CHECK(factor({}, 7.0) == 1.0);
    CHECK(factor({.shape = RateShape::linear, .last = 0.2}, 5.0) == near(0.6));
    CHECK(factor({.shape = RateShape::linear, .last = 0.2}, 12.0) == near(0.2));
    CHECK(factor({.shape = RateShape::polynomial}, 4.0) == near(0.36));                             // 0.6²
    CHECK(factor({.shape = RateShape::polynomial, .last = 0.5, .power = 1}, 4.0) == near(0.8));     // 0.5 + 0.5 · 0.6
    CHECK(factor({.shape = RateShape::cosine}, 0.0) == 1.0);
    CHECK(factor({.shape = RateShape::cosine}, 2.5) == near(0.5 + std::sqrt(0.125)));  // (1 + cos 45°) / 2
    CHECK(factor({.shape = RateShape::cosine, .last = 0.1}, 5.0) == near(0.55));
    CHECK(factor({.shape = RateShape::step, .step = 4, .decay = 0.5}, 3.9) == 1.0);
    CHECK(factor({.shape = RateShape::step, .step = 4, .decay = 0.5}, 8.0) == 0.25);
    CHECK(factor({.shape = RateShape::step, .step = 4, .decay = 0.5}, 30.0) == 0.25);
    CHECK(factor({.shape = RateShape::step}, 6.7) == near(0.01));  // steps at each third
    CHECK(factor({.shape = RateShape::one_cycle}, 0.0) == near(0.04));
    CHECK(factor({.shape = RateShape::one_cycle}, 1.5) == near(0.52));  // halfway up
    CHECK(factor({.shape = RateShape::one_cycle}, 3.0) == 1.0);
    CHECK(factor({.shape = RateShape::one_cycle}, 6.5) == near(0.5));  // halfway down
    CHECK(factor({.shape = RateShape::one_cycle, .rise = 0.0}, 0.0) == 1.0);
    CHECK(factor({.shape = RateShape::linear, .length = 20}, 5.0) == near(0.75));
    CHECK(rate_factor({.shape = RateShape::one_cycle}, /*used=*/3.0, /*length=*/0.0) == 1.0);  // unknown length
}
