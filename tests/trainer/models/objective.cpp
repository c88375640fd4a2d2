#include "trainer/models/objective.hpp"

#include <ATen/ATen.h>

#include <cmath>

#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;

namespace {

double loss(const LossSettings& settings, Task::Kind kind, const at::Tensor& outputs, const at::Tensor& targets) {
    const Task task{.kind = kind, .input_shape = {1}, .target_shape = {}, .num_outputs = outputs.size(1)};
    return loss_sum(settings, task, outputs, targets).item<double>();
}

}  // namespace

TEST_CASE("label smoothing gives all classes a share of the right one, in training alone") {
    const at::Tensor outputs = at::tensor({1.0, 2.0, 0.5}).view({1, 3});
    const at::Tensor target = at::tensor({1}, at::kLong);
    const LossSettings smoothed{.label_smoothing = 0.3};
    const auto of = [&](const LossSettings& settings) {
        return loss(settings, Task::Kind::classification, outputs, target);
    };

    const double log_sum = std::log(std::exp(1.0) + std::exp(2.0) + std::exp(0.5));
    CHECK(of({}) == doctest::Approx(log_sum - 2.0));
    CHECK(of(smoothed) == doctest::Approx(0.7 * (log_sum - 2.0) + 0.1 * (3 * log_sum - 3.5)));
    CHECK(of(smoothed.unsmoothed()) == of({}));
}

TEST_CASE("losses of numbers are means over a sample's outputs, and sums over samples") {
    const at::Tensor outputs = at::tensor({1.0, 2.0, 0.0, 0.0}).view({2, 2});
    const at::Tensor targets = at::tensor({1.0, 5.0, 0.5, 0.0}).view({2, 2});  // errors 0, 3, 0.5, 0
    const auto of = [&](const LossSettings& settings) {
        return loss(settings, Task::Kind::regression, outputs, targets);
    };

    CHECK(of({}) == doctest::Approx((9 + 0.25) / 2));
    CHECK(of({.loss = Loss::mse}) == of({}));
    CHECK(of({.loss = Loss::mae}) == doctest::Approx(3.5 / 2));
    CHECK(of({.loss = Loss::huber, .huber_delta = 2}) == doctest::Approx((2 * (3 - 1) + 0.125) / 2));
}

TEST_CASE("binary cross entropy takes logits, and targets between the two") {
    const at::Tensor outputs = at::tensor({0.0, 2.0}).view({1, 2});
    const at::Tensor targets = at::tensor({1.0, 0.25}).view({1, 2});

    const double p = 1 / (1 + std::exp(-2.0));
    CHECK(loss({.loss = Loss::bce}, Task::Kind::regression, outputs, targets) ==
          doctest::Approx((std::log(2.0) - 0.25 * std::log(p) - 0.75 * std::log(1 - p)) / 2));
}
