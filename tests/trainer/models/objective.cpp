#include "trainer/models/objective.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cmath>

#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;

namespace {

double loss(const LossSettings& settings, Task::Kind kind, const at::Tensor& outputs, const at::Tensor& targets) {
    const Task task{.kind = kind, .input_shape = {1}, .target_shape = {}, .num_outputs = outputs.size(1)};
    return loss_sum(settings, task, {}, outputs, targets).item<double>();
}

}  // namespace

TEST_CASE("label smoothing gives every class a share of the target, only in training") {
    const at::Tensor outputs = at::tensor({1.0, 2.0, 0.5}).view({1, 3});
    const at::Tensor target = at::tensor({1}, at::kLong);
    const LossSettings smoothed{.label_smoothing = 0.3};
    const auto of = [&](const LossSettings& settings) {
        return loss(settings, Task::Kind::classification, outputs, target);
    };

    const double log_sum = std::log(std::exp(1.0) + std::exp(2.0) + std::exp(0.5));
    CHECK(of({}) == doctest::Approx(log_sum - 2.0));
    CHECK(of(smoothed) == doctest::Approx(0.7 * (log_sum - 2.0) + 0.1 * (3 * log_sum - 3.5)));
    CHECK(of(smoothed.of_evaluation()) == of({}));
}

TEST_CASE("samples are weighted by class, only in training") {
    const at::Tensor outputs = at::tensor({1.0, 2.0, 0.5, 0.0, 0.0, 3.0}).view({2, 3});
    const at::Tensor targets = at::tensor({1, 0}, at::kLong);
    const Task task{.input_shape = {1}, .target_shape = {}, .num_outputs = 3, .class_weights = {0.5, 4.0, 1.0}};
    const LossSettings weighed{.class_weights = {0.5, 4.0, 1.0}};
    const auto of = [&](const LossSettings& settings) {
        return loss_sum(settings, task, loss_weights(task, at::kCPU), outputs, targets).item<double>();
    };

    const double first = std::log(std::exp(1.0) + std::exp(2.0) + std::exp(0.5)) - 2.0;
    const double second = std::log(2 + std::exp(3.0));
    CHECK(of(weighed) == doctest::Approx(4 * first + 0.5 * second));
    CHECK(of({}) == doctest::Approx(first + second));
    CHECK(of(weighed.of_evaluation()) == of({}));
}

TEST_CASE("a relative loss is computed per sample, and its gradient is finite even without an error") {
    at::Tensor outputs = at::tensor({3.0, 4.0, 1.0, 1.0, 0.3, 0.4}).view({3, 2}).requires_grad_(true);
    const at::Tensor targets = at::tensor({0.0, 8.0, 1.0, 1.0, 0.0, 0.0}).view({3, 2});
    const Task task{.kind = Task::Kind::regression, .input_shape = {1}, .target_shape = {2}, .num_outputs = 2};

    const at::Tensor sum = loss_sum({.loss = Loss::relative_l2}, task, {}, outputs, targets);
    sum.backward();

    CHECK(sum.item<double>() == doctest::Approx(5.0 / 8 + 0 + 0.5));  // a target of zero is compared with 1
    CHECK(outputs.grad()[0][0].item<double>() == doctest::Approx(3.0 / 5 / 8));
    CHECK(outputs.grad()[1].abs().sum().item<double>() == 0.0);
}

TEST_CASE("regression losses are means over a sample's outputs and sums over samples") {
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

TEST_CASE("binary cross entropy takes logits and targets from 0 to 1") {
    const at::Tensor outputs = at::tensor({0.0, 2.0}).view({1, 2});
    const at::Tensor targets = at::tensor({1.0, 0.25}).view({1, 2});

    const double p = 1 / (1 + std::exp(-2.0));
    CHECK(loss({.loss = Loss::bce}, Task::Kind::regression, outputs, targets) ==
          doctest::Approx((std::log(2.0) - 0.25 * std::log(p) - 0.75 * std::log(1 - p)) / 2));
}

TEST_CASE("the task's row weights apply to every regression loss and its gradient") {
    // Two samples of two channels of 3 x 2, so the weights of the rows repeat.
    const Task task{.kind = Task::Kind::regression,
                    .input_shape = {1},
                    .target_shape = {2, 3, 2},
                    .num_outputs = 12,
                    .row_weights = {0.25, 2.75, 0.0}};
    const at::Tensor weights = at::tensor({0.25, 0.25, 2.75, 2.75, 0.0, 0.0}).repeat({2, 2});
    const auto generator = at::detail::createCPUGenerator(1);
    at::Tensor outputs = at::randn({2, 12}, generator, at::kDouble).requires_grad_(true);
    const at::Tensor targets = at::rand({2, 12}, generator, at::kDouble);
    const at::Tensor error = (outputs - targets).detach();
    const LossWeights rows = loss_weights(task, at::kCPU);
    const auto of = [&](const LossSettings& settings) {
        outputs.mutable_grad().reset();
        const at::Tensor sum = loss_sum(settings, task, rows, outputs, targets);
        sum.backward();
        return doctest::Approx(sum.item<double>()).epsilon(1e-12);
    };
    const auto mean = [&](const at::Tensor& losses) { return (losses * weights).sum().item<double>() / 12; };
    const auto is_gradient = [&](const at::Tensor& wanted) { return at::allclose(outputs.grad(), wanted, 1e-12); };

    CHECK(mean(error.square()) == of({}));
    CHECK(is_gradient(2 * error * weights / 12));
    CHECK(mean(error.abs()) == of({.loss = Loss::mae}));
    CHECK(is_gradient(error.sign() * weights / 12));
    CHECK(mean(at::where(error.abs() < 0.5, error.square() / 2, error.abs() / 2 - 0.125)) ==
          of({.loss = Loss::huber, .huber_delta = 0.5}));
    const at::Tensor p = outputs.detach().sigmoid();
    CHECK(mean(-targets * p.log() - (1 - targets) * (1 - p).log()) == of({.loss = Loss::bce}));
    const auto length = [&](const at::Tensor& numbers) { return (numbers.square() * weights).sum(1).sqrt(); };
    CHECK((length(error) / length(targets)).sum().item<double>() == of({.loss = Loss::relative_l2}));
    CHECK(is_gradient(error * weights / (length(error) * length(targets)).unsqueeze(1)));
    CHECK(at::equal(rows.rows, at::tensor({0.25, 2.75, 0.0}, at::kDouble)));  // steps share them
}
