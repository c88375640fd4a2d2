#include "trainer/batch.hpp"

#include <ATen/ATen.h>

#include "core/check.hpp"

namespace crescendo::trainer {

namespace {

at::Tensor upload(datasets::Bytes& bytes, const std::vector<std::int64_t>& shape, at::ScalarType type,
                  const Device& device) {
    const at::Tensor host = at::from_blob(bytes.data(), shape, type);
    CRESCENDO_EXPECT(host.nbytes() == bytes.size());
    return device.upload(host);
}

}  // namespace

Batch make_batch(datasets::Slice& slice, const Task& task, const Device& device) {
    const auto count = static_cast<std::int64_t>(slice.samples.size());
    std::vector<std::int64_t> shape{count};
    shape.insert(shape.end(), task.input_shape.begin(), task.input_shape.end());
    const at::Tensor inputs = upload(slice.inputs, shape, at::kFloat, device);
    if (task.kind == Task::Kind::reconstruction) return {inputs, inputs.flatten(1)};
    if (task.kind == Task::Kind::classification) return {inputs, upload(slice.targets, {count}, at::kLong, device)};
    return {inputs, upload(slice.targets, {count, task.num_outputs}, at::kFloat, device)};
}

}  // namespace crescendo::trainer
