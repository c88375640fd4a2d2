#include "trainer/training/evaluation.hpp"

#include <ATen/ATen.h>
#include <sys/socket.h>
#include <torch/nn/modules/linear.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/data/data_cache.hpp"
#include "trainer/models/model.hpp"
#include "trainer/models/objective.hpp"
#include "trainer/settings/model_spec.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

constexpr std::int64_t num_batches = 50;

/// A linear network on a device with enough memory for `most` samples at once. It notes the number of samples in each
/// call.
class SmallMemory : public Model {
  public:
    SmallMemory(std::int64_t most, std::vector<std::int64_t>& counts) : most_(most), counts_(counts) {}

    at::Tensor forward(const at::Tensor& inputs, const at::Tensor& /*dropout_keys*/) override {
        counts_.push_back(inputs.size(0));
        if (inputs.size(0) > most_) {
            C10_THROW_ERROR(OutOfMemoryError, "CUDA out of memory");
        }
        return output_(inputs.flatten(1));
    }

  private:
    std::int64_t most_;
    std::vector<std::int64_t>& counts_;
    torch::nn::Linear output_ = register_module("output", torch::nn::Linear(64, 4));
};

struct SmallMemorySpec : ModelSpec {
    std::int64_t most;
    std::vector<std::int64_t>& counts;

    SmallMemorySpec(std::int64_t most_samples, std::vector<std::int64_t>& given) : most(most_samples), counts(given) {}
    std::shared_ptr<Model> make(const Task&) const override { return std::make_shared<SmallMemory>(most, counts); }
};

}  // namespace

TEST_CASE("a batch that does not fit into memory is evaluated in smaller parts") {
    const SweepFixture sweep;  // 20 validation samples
    const auto device = make_cpu_device();
    const Task task{.input_shape = {8, 8}, .target_shape = {}, .num_outputs = 4, .num_samples = 96};
    std::vector<std::int64_t> counts;
    const auto evaluated = [&](std::int64_t most, int times) {
        Settings settings = settings_of(small_cnn(sweep.train, sweep.validation));
        settings.batch_size = 12;
        settings.model = std::make_shared<SmallMemorySpec>(most, counts);
        Trial trial(/*number=*/0, /*seed=*/1, settings, task, *device);
        DataCache data;
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
        ControlChannel channel(ends[0]);
        Pulse pulse(channel);
        counts.clear();
        EvaluationSums sums;
        for (int i = 0; i < times; ++i) {
            sums = evaluate_share(trial, data.evaluation(sweep.validation, settings.data), Group(*device), pulse);
        }
        ::close(ends[1]);
        return sums;
    };
    using Counts = std::vector<std::int64_t>;

    const auto large = evaluated(/*most=*/100, /*times=*/1);
    CHECK(counts == Counts{12, 8});
    const auto small = evaluated(/*most=*/3, /*times=*/2);
    CHECK(counts == Counts{12, 6, 3, 3, 3, 3, 3, 3, 2, 3, 3, 3, 3, 3, 3, 2});  // only the first batch is halved
    CHECK(large.samples == 20);
    CHECK(small.samples == 20);
    CHECK(small.loss == doctest::Approx(large.loss).epsilon(1e-6));
    CHECK(small.correct == large.correct);

    CHECK_THROWS_AS(evaluated(/*most=*/0, /*times=*/1), c10::OutOfMemoryError);
    CHECK(counts == Counts{12, 6, 3, 1});
}

TEST_CASE("sums on the device are bit-identical to batches added up one by one in float64") {
    const auto device = make_cpu_device();
    const Task task{.input_shape = {8}, .target_shape = {}, .num_outputs = 3, .num_samples = 4};
    const Settings settings = settings_of({{"model", "mlp"}, {"metrics", {"f1"}}, {"label_smoothing", 0.1}});
    const Trial trial(/*number=*/0, /*seed=*/1, settings, task, *device);
    SumsOnDevice sums(trial);
    double loss = 0;
    double correct = 0;
    std::vector<double> metrics = no_sums(settings, task);
    at::manual_seed(1);

    for (int batch = 0; batch < num_batches; ++batch) {
        const at::Tensor outputs = at::randn({4, 3}) * 10;
        const at::Tensor targets = at::randint(3, {4}, at::kLong);
        sums.add(outputs, targets, {0, 1, 2, 3});
        loss += loss_sum(settings.loss.of_evaluation(), task, {}, outputs, targets).item<double>();
        correct += num_correct(outputs, targets).item<double>();
        const at::Tensor more = metric_sums(settings, task, {}, outputs, targets);
        for (std::size_t i = 0; i < metrics.size(); ++i) {
            metrics[i] += more[static_cast<std::int64_t>(i)].item<double>();
        }
    }

    const auto all = sums.fetch(Group(*device));
    CHECK(all.samples == 4 * num_batches);
    CHECK(all.loss == loss);
    CHECK(all.correct == correct);
    CHECK(all.metrics == metrics);
}

TEST_CASE("a member without samples has as many sums as the others, all zero") {
    const auto device = make_cpu_device();
    const Task task{
        .kind = Task::Kind::regression, .input_shape = {8}, .target_shape = {2}, .num_outputs = 2, .num_samples = 4};
    const Trial trial(/*number=*/0, /*seed=*/1, settings_of({{"model", "mlp"}, {"metrics", {"r2"}}}), task, *device);

    const auto none = SumsOnDevice(trial).fetch(Group(*device));

    CHECK(none.samples == 0);
    CHECK(none.loss == 0);
    CHECK(none.metrics == std::vector<double>(7, 0.0));
}
