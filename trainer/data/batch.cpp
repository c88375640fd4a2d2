#include "trainer/data/batch.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include "core/check.hpp"

namespace crescendo::trainer {

namespace {

at::Tensor upload(datasets::Bytes&& bytes, const std::vector<std::int64_t>& shape, at::ScalarType type,
                  const Device& device) {
    const auto owner = std::make_shared<datasets::Bytes>(std::move(bytes));
    const at::Tensor host = at::from_blob(
        owner->data(), shape, [owner](void*) {}, type);
    CRESCENDO_EXPECT(host.nbytes() == owner->size());
    return device.upload(host);
}

/// Checked on the host, because on a GPU the loss of an unknown class would make that GPU unusable for the process.
void expect_known_classes(const datasets::Slice& slice, std::int64_t num_classes) {
    const auto* classes = reinterpret_cast<const std::int64_t*>(slice.targets.data());
    for (std::size_t i = 0; i < slice.samples.size(); ++i) {
        if (classes[i] < 0 || classes[i] >= num_classes) {
            throw std::runtime_error(
                text("sample {} has the class {}, but the model only knows the classes 0 to {}; the data have changed, "
                     "or trainer.classes is too small",
                     slice.samples[i], classes[i], num_classes - 1));
        }
    }
}

/// For targets outside 0 to 1, binary cross entropy has no lower bound, so a trial would "learn" forever.
void expect_shares(const datasets::Slice& slice, const datasets::Bytes& bytes, const char* what) {
    const std::span numbers(reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float));
    const auto found =
        std::find_if(numbers.begin(), numbers.end(), [](float number) { return number < 0.0F || number > 1.0F; });
    if (found != numbers.end()) {
        const auto of_sample = numbers.size() / slice.samples.size();
        throw std::runtime_error(
            text("trainer.loss: sample {} has the {} {}, but bce needs numbers from 0 to 1; scale them with "
                 "data.normalize: {NAME: {scale, offset}}, or use mse",
                 slice.samples[static_cast<std::size_t>(found - numbers.begin()) / of_sample], what, *found));
    }
}

}  // namespace

at::Tensor make_inputs(datasets::Slice& slice, const Task& task, const Device& device) {
    const auto count = static_cast<std::int64_t>(slice.samples.size());
    std::vector<std::int64_t> shape{count};
    shape.insert(shape.end(), task.input_shape.begin(), task.input_shape.end());
    if (task.wants_shares && task.kind == Task::Kind::reconstruction) {
        expect_shares(slice, slice.inputs, "input");
    }
    return upload(std::move(slice.inputs), shape, at::kFloat, device);
}

at::Tensor make_targets(datasets::Slice& slice, const at::Tensor& inputs, const Task& task, const Device& device) {
    const auto count = static_cast<std::int64_t>(slice.samples.size());
    switch (task.kind) {
        case Task::Kind::classification:
            expect_known_classes(slice, task.num_outputs);
            return upload(std::move(slice.targets), {count}, at::kLong, device);
        case Task::Kind::regression:
            if (task.wants_shares) {
                expect_shares(slice, slice.targets, "target");
            }
            return upload(std::move(slice.targets), {count, task.num_outputs}, at::kFloat, device);
        case Task::Kind::reconstruction:
            return inputs.flatten(1);
    }
    CRESCENDO_EXPECT(false);
    return {};
}

Batch make_batch(datasets::Slice& slice, const Task& task, const Device& device) {
    if (slice.samples.empty()) {
        return {};
    }
    const at::Tensor inputs = make_inputs(slice, task, device);
    return {inputs, make_targets(slice, inputs, task, device)};
}

}  // namespace crescendo::trainer
