#include "trainer/training/metric_sums.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/torch_doctest.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

/// The metrics of two batches, whose sums are added like those of two members.
Metrics metrics_of(const Settings& settings, const Task& task, const at::Tensor& outputs, const at::Tensor& targets) {
    const LossWeights weights = loss_weights(task, at::kCPU);
    const at::Tensor added = metric_sums(settings, task, weights, outputs.narrow(0, 0, 1), targets.narrow(0, 0, 1)) +
                             metric_sums(settings, task, weights, outputs.slice(0, 1), targets.slice(0, 1));
    REQUIRE(added.numel() == static_cast<std::int64_t>(no_sums(settings, task).size()));
    const auto* const values = added.const_data_ptr<double>();
    const MetricSums sums(values, values + added.numel());
    Metrics metrics;
    add_metrics(metrics, "val", sums, settings, task);
    return metrics;
}

}  // namespace

TEST_CASE("classification metrics give equal weight to all classes that occur") {
    const Settings settings = settings_of({{"metrics", {"top5", "f1", "balanced_accuracy"}}});
    const Task task{.input_shape = {1}, .target_shape = {}, .num_outputs = 7};
    // Classes 0, 0, 0, 1, 6 are taken for 0, 0, 1, 1, 0; no other class occurs. Class 6 is never among the five
    // likeliest.
    const at::Tensor said = at::tensor({0, 0, 1, 1, 0}, at::kLong);
    const at::Tensor targets = at::tensor({0, 0, 0, 1, 6}, at::kLong);
    at::Tensor outputs = at::tensor({7., 6., 5., 4., 3., 2., 1.}).repeat({5, 1});
    outputs.scatter_(1, said.unsqueeze(1), 10.0);

    Metrics metrics = metrics_of(settings, task, outputs, targets);

    CHECK(metrics["val_top5"] == doctest::Approx(4.0 / 5));
    CHECK(metrics["val_balanced_accuracy"] == doctest::Approx((2.0 / 3 + 1 + 0) / 3));
    // F1 is 2 right / (has + said): 4/6, 2/3 and 0.
    CHECK(metrics["val_f1"] == doctest::Approx((2.0 / 3 + 2.0 / 3 + 0) / 3));
    CHECK(metrics.size() == 3);
}

TEST_CASE("regression metrics cover all numbers of all targets together") {
    const Settings settings = settings_of({{"metrics", {"mae", "rmse", "r2", "relative_l2"}}});
    const Task task{.kind = Task::Kind::regression, .input_shape = {1}, .target_shape = {2}, .num_outputs = 2};

    Metrics metrics = metrics_of(settings, task, at::tensor({1., 2., 5., 4.}).view({2, 2}),
                                 at::tensor({1., 2., 3., 6.}).view({2, 2}));

    CHECK(metrics["val_mae"] == doctest::Approx(1.0));              // (0 + 0 + 2 + 2) / 4
    CHECK(metrics["val_rmse"] == doctest::Approx(std::sqrt(2.0)));  // (0 + 0 + 4 + 4) / 4
    CHECK(metrics["val_r2"] == doctest::Approx(1 - 8.0 / 14));      // the mean is 3: 4 + 1 + 0 + 9
    CHECK(metrics["val_relative_l2"] == doctest::Approx(std::sqrt(8.0) / std::sqrt(45.0) / 2));
}

TEST_CASE("r2 of constant targets is minus infinity, whatever the rounding of their sums") {
    const Settings settings = settings_of({{"metrics", {"r2"}}});
    const Task task{.kind = Task::Kind::regression, .input_shape = {1}, .target_shape = {}, .num_outputs = 1};

    for (const std::int64_t count : {2, 29, 43, 50, 92}) {
        const at::Tensor targets = at::full({count, 1}, 280.3, at::kFloat);
        const double r2 = metrics_of(settings, task, targets + 1, targets)["val_r2"];

        CHECK_MESSAGE(r2 == -std::numeric_limits<double>::infinity(), count);
    }
}

TEST_CASE("the task's row weights apply to all regression metrics") {
    const Settings settings = settings_of({{"metrics", {"mae", "rmse", "r2", "relative_l2"}}});
    const Task task{.kind = Task::Kind::regression,
                    .input_shape = {1},
                    .target_shape = {2, 1},
                    .num_outputs = 2,
                    .row_weights = {0.5, 1.5}};

    Metrics metrics = metrics_of(settings, task, at::tensor({1., 2., 5., 4.}).view({2, 2}),
                                 at::tensor({1., 2., 3., 6.}).view({2, 2}));

    CHECK(metrics["val_mae"] == doctest::Approx((0.5 * 2 + 1.5 * 2) / 4));
    CHECK(metrics["val_rmse"] == doctest::Approx(std::sqrt((0.5 * 4 + 1.5 * 4) / 4)));
    // The mean target is (0.5 + 3 + 1.5 + 9) / 4 = 3.5: 0.5 * 2.5² + 1.5 * 1.5² + 0.5 * 0.5² + 1.5 * 2.5² = 16.
    CHECK(metrics["val_r2"] == doctest::Approx(1 - 8.0 / 16));
    CHECK(metrics["val_relative_l2"] == doctest::Approx(std::sqrt((0.5 * 4 + 1.5 * 4) / (0.5 * 9 + 1.5 * 36)) / 2));
}

TEST_CASE("with bce, metrics compare the targets with the sigmoid of the outputs") {
    const Settings settings = settings_of({{"loss", "bce"}, {"metrics", {"mae"}}});
    const Task task{.kind = Task::Kind::regression, .input_shape = {1}, .target_shape = {}, .num_outputs = 1};

    CHECK(metrics_of(settings, task, at::zeros({2, 1}), at::ones({2, 1}))["val_mae"] == doctest::Approx(0.5));
}

TEST_CASE("without metrics there is nothing to add up") {
    const Settings settings = settings_of(nlohmann::json::object());
    const Task task{.input_shape = {1}, .target_shape = {}, .num_outputs = 7};

    CHECK(metrics_of(settings, task, at::zeros({2, 7}), at::zeros({2}, at::kLong)).empty());
    CHECK(no_sums(settings, task).empty());
}
