#include "trainer/training/evaluation.hpp"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/models/objective.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

constexpr std::int64_t num_batches = 50;

}  // namespace

TEST_CASE("sums on the device have the bits of batches that are added up one by one as float64") {
    const auto device = make_cpu_device();
    const Task task{.input_shape = {8}, .target_shape = {}, .num_outputs = 3, .num_samples = 4};
    const Settings settings = settings_of({{"model", "mlp"}, {"metrics", {"f1"}}});
    const Trial trial(/*number=*/0, /*seed=*/1, settings, task, *device);
    SumsOnDevice sums(trial);
    double loss = 0;
    double correct = 0;
    std::vector<double> metrics = no_sums(settings, task);
    at::manual_seed(1);

    for (int batch = 0; batch < num_batches; ++batch) {
        const at::Tensor outputs = at::randn({4, 3}) * 10;
        const at::Tensor targets = at::randint(3, {4}, at::kLong);
        sums.add(outputs, targets);
        loss += loss_sum(settings.loss, task, outputs, targets).item<double>();
        correct += num_correct(outputs, targets).item<double>();
        const at::Tensor more = metric_sums(settings, task, outputs, targets);
        for (std::size_t i = 0; i < metrics.size(); ++i) {
            metrics[i] += more[static_cast<std::int64_t>(i)].item<double>();
        }
    }

    const auto all = sums.fetch();
    CHECK(all.samples == 4 * num_batches);
    CHECK(all.loss == loss);
    CHECK(all.correct == correct);
    CHECK(all.metrics == metrics);
}

TEST_CASE("a member without samples has sums of nothing, as many as the others") {
    const auto device = make_cpu_device();
    const Task task{
        .kind = Task::Kind::regression, .input_shape = {8}, .target_shape = {2}, .num_outputs = 2, .num_samples = 4};
    const Trial trial(/*number=*/0, /*seed=*/1, settings_of({{"model", "mlp"}, {"metrics", {"r2"}}}), task, *device);

    const auto none = SumsOnDevice(trial).fetch();

    CHECK(none.samples == 0);
    CHECK(none.loss == 0);
    CHECK(none.metrics == std::vector<double>(7, 0.0));
}
