#include "trainer/data/batch.hpp"

#include <ATen/ATen.h>

#include <memory>
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

}  // namespace

at::Tensor make_inputs(datasets::Slice& slice, const Task& task, const Device& device) {
    const auto count = static_cast<std::int64_t>(slice.samples.size());
    std::vector<std::int64_t> shape{count};
    shape.insert(shape.end(), task.input_shape.begin(), task.input_shape.end());
    return upload(std::move(slice.inputs), shape, at::kFloat, device);
}

at::Tensor make_targets(datasets::Slice& slice, const at::Tensor& inputs, const Task& task, const Device& device) {
    const auto count = static_cast<std::int64_t>(slice.samples.size());
    switch (task.kind) {
        case Task::Kind::classification:
            return upload(std::move(slice.targets), {count}, at::kLong, device);
        case Task::Kind::regression:
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
