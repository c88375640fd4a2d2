#include "trainer/batch.hpp"

#include <ATen/ATen.h>

#include "core/check.hpp"

namespace crescendo::trainer {

using datasets::ElementType;

namespace {

at::ScalarType scalar_type(ElementType type) {
    switch (type) {
        case ElementType::u8:
            return at::kByte;
        case ElementType::i8:
            return at::kChar;
        case ElementType::u16:
            return at::kUInt16;
        case ElementType::i16:
            return at::kShort;
        case ElementType::u32:
            return at::kUInt32;
        case ElementType::i32:
            return at::kInt;
        case ElementType::u64:
            return at::kUInt64;
        case ElementType::i64:
            return at::kLong;
        case ElementType::f16:
            return at::kHalf;
        case ElementType::bf16:
            return at::kBFloat16;
        case ElementType::f32:
            return at::kFloat;
        case ElementType::f64:
            return at::kDouble;
    }
    return at::kFloat;
}

at::Tensor upload(std::vector<std::byte>& bytes, std::size_t num_samples, const datasets::Field& field,
                  const Device& device) {
    CRESCENDO_EXPECT(bytes.size() == num_samples * field.sample_bytes());
    std::vector<std::int64_t> shape{static_cast<std::int64_t>(num_samples)};
    shape.insert(shape.end(), field.shape.begin(), field.shape.end());
    return device.upload(at::from_blob(bytes.data(), shape, scalar_type(field.type)));
}

}  // namespace

Batch make_batch(datasets::Slice& slice, const datasets::SampleSet& samples, const Task& task, const Device& device) {
    const std::size_t count = slice.samples.size();
    at::Tensor inputs = upload(slice.inputs, count, samples.inputs(), device);
    const bool bytes = inputs.scalar_type() == at::kByte;
    inputs = inputs.to(at::kFloat);
    if (bytes) inputs.div_(255);
    if (task.kind == Task::Kind::reconstruction) return {inputs, inputs.flatten(1)};
    const at::Tensor targets = upload(slice.targets, count, samples.targets(), device);
    if (task.kind == Task::Kind::classification) return {inputs, targets.to(at::kLong)};
    return {inputs, targets.to(at::kFloat).reshape({targets.size(0), task.num_outputs})};
}

}  // namespace crescendo::trainer
