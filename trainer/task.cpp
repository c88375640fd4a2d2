#include "trainer/task.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "core/check.hpp"

namespace crescendo::trainer {

using datasets::ElementType;
using datasets::Field;
using datasets::SampleSet;

namespace {

bool is_floating(ElementType type) {
    return type == ElementType::f16 || type == ElementType::bf16 || type == ElementType::f32 ||
           type == ElementType::f64;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string words;
    for (const auto length : shape) words += text("{}{}", words.empty() ? "" : "x", length);
    return words.empty() ? "a single number" : words;
}

template <class Integer>
std::int64_t largest(const std::vector<std::byte>& targets, const SampleSet& samples) {
    std::int64_t most = 0;
    for (std::size_t at = 0; at < targets.size(); at += sizeof(Integer)) {
        Integer value;
        std::memcpy(&value, targets.data() + at, sizeof value);
        CRESCENDO_VALIDATE(value >= Integer{0}, "trainer.data.train",
                           "{}: {} holds the class {}, but classes count from 0; renumber them", samples.location(),
                           samples.targets().path, +value);
        most = std::max(most, static_cast<std::int64_t>(value));
    }
    return most;
}

std::int64_t largest_target(const std::vector<std::byte>& targets, const SampleSet& samples) {
    switch (samples.targets().type) {
        case ElementType::u8:
            return largest<std::uint8_t>(targets, samples);
        case ElementType::i8:
            return largest<std::int8_t>(targets, samples);
        case ElementType::u16:
            return largest<std::uint16_t>(targets, samples);
        case ElementType::i16:
            return largest<std::int16_t>(targets, samples);
        case ElementType::u32:
            return largest<std::uint32_t>(targets, samples);
        case ElementType::i32:
            return largest<std::int32_t>(targets, samples);
        case ElementType::u64:
            return largest<std::uint64_t>(targets, samples);
        case ElementType::i64:
            return largest<std::int64_t>(targets, samples);
        case ElementType::f16:
        case ElementType::bf16:
        case ElementType::f32:
        case ElementType::f64:
            break;
    }
    CRESCENDO_EXPECT(!"classes are integers");
    return 0;
}

std::int64_t count_classes(const SampleSet& samples) {
    std::int64_t most = 0;
    std::vector<std::byte> inputs;
    std::vector<std::byte> targets;
    for (std::int64_t begin = 0; begin < samples.size(); begin += samples.chunk_samples()) {
        const std::int64_t count = std::min(samples.chunk_samples(), samples.size() - begin);
        inputs.resize(static_cast<std::size_t>(count) * samples.inputs().sample_bytes());
        targets.resize(static_cast<std::size_t>(count) * samples.targets().sample_bytes());
        samples.read(begin, count, inputs, targets);
        most = std::max(most, largest_target(targets, samples));
    }
    return most + 1;
}

}  // namespace

std::vector<Problem> misfits(const Settings& settings, const SampleSet& samples, const std::string& data_key) {
    std::vector<Problem> problems;
    const auto& inputs = samples.inputs().shape;
    if (!is_floating(samples.targets().type) && !samples.targets().shape.empty()) {
        problems.push_back({data_key, text("{}: a target is {} of integers; a class is one number, a target of "
                                           "regression has floating-point numbers",
                                           samples.location(), shape_text(samples.targets().shape))});
    }
    if (settings.model != ModelKind::cnn) return problems;
    if (inputs.size() != 2 && inputs.size() != 3) {
        problems.push_back({data_key, text("{}: a sample is {}, but the cnn takes height x width or channels x "
                                           "height x width; use `model: mlp`",
                                           samples.location(), shape_text(inputs))});
        return problems;
    }
    const std::int64_t side = std::min(inputs[inputs.size() - 2], inputs.back());
    if (side >> settings.depth == 0) {
        problems.push_back({"trainer.depth", text("{} leaves nothing of the {} inputs of {}, for each convolution "
                                                  "halves height and width; use less",
                                                  settings.depth, shape_text(inputs), samples.location())});
    }
    return problems;
}

Task describe_task(const SampleSet& samples, std::int64_t classes) {
    Task task{
        .input_shape = samples.inputs().shape, .target_shape = samples.targets().shape, .num_samples = samples.size()};
    if (is_floating(samples.targets().type)) {
        task.kind = Task::Kind::regression;
        task.num_outputs = samples.targets().sample_elements();
    } else {
        task.num_outputs = classes > 0 ? classes : count_classes(samples);
    }
    return task;
}

void to_json(nlohmann::json& json, const Task& task) {
    json = {{"kind", task.kind == Task::Kind::classification ? "classification" : "regression"},
            {"input_shape", task.input_shape},
            {"target_shape", task.target_shape},
            {"num_outputs", task.num_outputs},
            {"num_samples", task.num_samples}};
}

void from_json(const nlohmann::json& json, Task& task) {
    task.kind = json.at("kind") == "regression" ? Task::Kind::regression : Task::Kind::classification;
    json.at("input_shape").get_to(task.input_shape);
    json.at("target_shape").get_to(task.target_shape);
    json.at("num_outputs").get_to(task.num_outputs);
    json.at("num_samples").get_to(task.num_samples);
}

}  // namespace crescendo::trainer
