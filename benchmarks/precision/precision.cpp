// Measures what shorter numbers gain: steps and evaluations of three networks in each precision, in turn on one device.
//
//   precision [--quick]     on the device that CRESCENDO_DEVICE names: cpu, or cuda
//
// Prints a Markdown table of medians. Evaluations are also measured with four times the batch.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/median.hpp"
#include "tests/trainer/test_device.hpp"
#include "trainer/device/matrix_products.hpp"
#include "trainer/models/networks/models.hpp"
#include "trainer/optimizers/optimizers.hpp"
#include "trainer/settings/catalogue.hpp"
#include "trainer/training/evaluation.hpp"
#include "trainer/training/trial.hpp"

namespace {

using namespace crescendo::trainer;
using nlohmann::json;

struct Network {
    const char* name;
    json settings;
    std::vector<std::int64_t> input_shape;
};

const std::vector<Network> networks{
    {"cnn", {{"model", "cnn"}, {"batch_size", 128}}, {28, 28}},
    {"mlp, 2 x 1024", {{"model", "mlp"}, {"width", 1024}, {"depth", 2}, {"batch_size", 128}}, {28, 28}},
    {"resnet18", {{"model", "resnet18"}, {"batch_size", 32}}, {3, 32, 32}},
};

/// A trial of one precision, and a batch on which it trains repeatedly.
class Runner {
  public:
    Runner(const Network& network, Precision precision, const Device& device)
        : device_(device),
          batch_size_(network.settings.at("batch_size")),
          trial_(0, 1, settings_of(network, precision), task_of(network), device),
          group_(device),
          reducer_(group_, trial_.parameters()) {
        trial_.set_group(/*size=*/1, {});
        std::vector<std::int64_t> shape{4 * batch_size_};
        shape.insert(shape.end(), network.input_shape.begin(), network.input_shape.end());
        many_ = device.upload(at::randn(shape));
        batch_.slice.member_samples = {batch_size_};
        batch_.slice.samples.resize(static_cast<std::size_t>(batch_size_));
        batch_.batch = {many_.narrow(0, 0, batch_size_), device.upload(at::arange(batch_size_).remainder(10))};
    }

    /// Samples per second, over about `seconds`.
    double training(double seconds) {
        return rate(seconds, batch_.batch.inputs.size(0), [this] { trial_.step(batch_, group_, reducer_); });
    }

    double evaluation(double seconds, std::int64_t batches) {
        const at::NoGradGuard no_gradients;
        const EvaluationMode mode(trial_);
        const at::Tensor inputs = many_.narrow(0, 0, batches * batch_size_);
        return rate(seconds, inputs.size(0), [&] { trial_.forward(inputs); });
    }

  private:
    static Settings settings_of(const Network& network, Precision precision) {
        json section = network.settings;
        section.update({{"precision", precision_words.of(precision)}, {"data", {{"train", "none"}}}});
        std::vector<Problem> problems;
        Settings settings = parse_settings(section, {models(), optimizers()}, problems);
        require_none(problems);
        return settings;
    }

    static Task task_of(const Network& network) {
        return {.input_shape = network.input_shape, .target_shape = {}, .num_outputs = 10, .num_samples = 1 << 20};
    }

    double rate(double seconds, std::int64_t samples, const std::function<void()>& work) {
        work();  // warm-up: allocates memory, and chooses kernels
        await(device_);
        const auto began = std::chrono::steady_clock::now();
        double passed = 0;
        std::int64_t done = 0;
        while (passed < seconds) {
            for (int i = 0; i < (device_.place().is_cpu() ? 1 : 20); ++i) {
                work();
                done += samples;
            }
            await(device_);
            passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        }
        return static_cast<double>(done) / passed;
    }

    const Device& device_;
    std::int64_t batch_size_;
    Trial trial_;
    Group group_;
    GradientReducer reducer_;
    at::Tensor many_;
    LoadedBatch batch_;
};

void measure(const Network& network, const Device& device, double seconds, int turns) {
    struct Row {
        Precision precision;
        std::vector<double> training, share, evaluation, large;
    };
    std::vector<Row> rows{{Precision::float32, {}, {}, {}, {}}};
    if (!device.place().is_cpu()) {
        rows.push_back({Precision::tf32, {}, {}, {}, {}});
    }
    rows.push_back({Precision::bf16, {}, {}, {}, {}});
    rows.push_back({Precision::fp16, {}, {}, {}, {}});
    for (int turn = 0; turn < turns; ++turn) {
        for (auto& row : rows) {
            if (row.precision == Precision::fp16 && device.place().is_cpu() && network.input_shape.size() == 3) {
                continue;  // takes minutes per step
            }
            Runner runner(network, row.precision, device);  // anew, because precisions set switches of the process
            row.training.push_back(runner.training(seconds));
            row.share.push_back(row.training.back() / rows.front().training.back());
            row.evaluation.push_back(runner.evaluation(seconds, 1));
            row.large.push_back(runner.evaluation(seconds, 4) / row.evaluation.back());
        }
    }
    for (const auto& row : rows) {
        if (row.training.empty()) {
            continue;
        }
        using crescendo::median;
        std::printf("| %s | %s | %.0f | %.2f | %.0f | %.2f |\n", network.name, precision_words.of(row.precision),
                    median(row.training), median(row.share), median(row.evaluation), median(row.large));
        std::fflush(stdout);
    }
}

}  // namespace

int main(int count, char** arguments) {
    const bool quick = count > 1 && std::string(arguments[1]) == "--quick";
    if (count > 1 && !quick) {
        std::fprintf(stderr, "usage: [CRESCENDO_DEVICE=cuda] precision [--quick]\n");
        return 2;
    }
    // As the trainer does.
    const MatrixProducts products;
    ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
    ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
    const auto device = test::make_test_device();
    at::set_num_threads(1);
    std::printf(
        "| network | precision | training, samples/s | of float32 | evaluation, samples/s | four batches at once |\n"
        "|---|---|---|---|---|---|\n");
    for (const auto& network : networks) {
        if (quick && network.input_shape.size() == 3) {
            continue;
        }
        measure(network, *device, quick ? 0.0 : device->place().is_cpu() ? 1.0 : 0.4, quick ? 1 : 3);
    }
    return 0;
}
