#include "trainer/training/trial.hpp"

#include <ATen/ATen.h>

#include <array>
#include <stdexcept>

#include "tests/trainer/local_group.hpp"
#include "tests/trainer/settings_of.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "trainer/models/model.hpp"

using namespace crescendo::trainer;
using namespace crescendo::trainer::test;

namespace {

constexpr std::int64_t num_samples = 8;

const Task task{.kind = Task::Kind::classification,
                .input_shape = {8, 8},
                .target_shape = {},
                .num_outputs = 2,
                .num_samples = num_samples};

/// A trial of a model with buffers.
Trial normed_trial(const Device& device, int size, double lr = 0.1) {
    Trial trial(/*number=*/0, /*seed=*/1, settings_of({{"model", "normed"}, {"lr", lr}, {"batch_size", 4}}), task,
                device);
    trial.set_group(size, /*batch_multiple=*/2);
    return trial;
}

/// Samples that are all alike: images of `brightness`.
LoadedBatch images(double brightness, std::int64_t count) {
    LoadedBatch loaded;
    loaded.slice.group_samples = num_samples;
    loaded.slice.samples.resize(static_cast<std::size_t>(count));
    loaded.batch = {at::full({count, 8, 8}, brightness), at::zeros({count}, at::kLong)};
    return loaded;
}

std::vector<at::Tensor> copies(const std::vector<NamedTensor>& tensors) {
    std::vector<at::Tensor> all;
    for (const auto& each : tensors) {
        all.push_back(each.tensor.detach().clone());
    }
    return all;
}

bool same(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const at::Tensor& x, const at::Tensor& y) { return at::equal(x, y); });
}

}  // namespace

TEST_CASE("a model's buffers are named behind its parameters") {
    const auto device = make_cpu_device();
    const Trial trial = normed_trial(*device, /*size=*/1);

    std::vector<std::string> names;
    for (const auto& each : trial.named_tensors()) {
        names.push_back(each.name);
    }

    CHECK(names == std::vector<std::string>{"conv.weight", "conv.bias", "norm.weight", "norm.bias", "output.weight",
                                            "output.bias", "norm.running_mean", "norm.running_var",
                                            "norm.num_batches_tracked"});
}

TEST_CASE("a step that fails leaves the trial as it was, its buffers too") {
    const auto device = make_cpu_device();
    Trial trial = normed_trial(*device, /*size=*/1);
    const Group group(*device);
    GradientReducer reducer(group, trial.parameters());
    const auto batch = images(0.5, num_samples);
    trial.step(batch, group, reducer);
    const auto before = copies(trial.named_tensors());

    const auto fail = [] { throw std::runtime_error("the data are damaged"); };
    CHECK_THROWS_AS(trial.step(batch, group, reducer, fail), std::runtime_error);

    CHECK(same(copies(trial.named_tensors()), before));
    CHECK(trial.progress().step == 1);
    trial.step(batch, group, reducer);
    CHECK(trial.buffers().back().item<std::int64_t>() == 4);  // two micro-batches a step
    CHECK_FALSE(same(copies(trial.named_tensors()), before));
}

TEST_CASE("every step of a group begins with the buffers of rank 0") {
    const auto device = make_cpu_device();
    std::array<std::array<at::Tensor, 2>, 2> means;  // of a rank, after a step

    in_group(2, *device, [&](const Group& group) {
        const auto rank = static_cast<std::size_t>(group.rank());
        Trial trial = normed_trial(*device, /*size=*/2, /*lr=*/0.0);
        GradientReducer reducer(group, trial.parameters());
        for (auto& mean : means[rank]) {
            trial.step(images(rank == 0 ? 0.5 : 2.0, num_samples / 2), group, reducer);
            mean = trial.buffers().front().detach().clone();
        }
    });

    // A step keeps 0.9 of the mean that it finds, and adds 0.1 of that of its own samples, as the first did to zeros.
    CHECK_FALSE(at::allclose(means[0][0], means[1][0]));
    CHECK(at::allclose(means[0][1], 0.9 * means[0][0] + means[0][0]));
    CHECK(at::allclose(means[1][1], 0.9 * means[0][0] + means[1][0]));
}
