#include "trainer/task.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "core/check.hpp"

namespace crescendo::trainer {

using datasets::ElementType;
using datasets::Field;
using datasets::SampleSet;

NLOHMANN_JSON_SERIALIZE_ENUM(Task::Kind, {{Task::Kind::classification, "classification"},
                                          {Task::Kind::regression, "regression"},
                                          {Task::Kind::reconstruction, "reconstruction"}})

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

bool is_image(const std::vector<std::int64_t>& shape) { return shape.size() == 2 || shape.size() == 3; }

bool reconstructs(const Settings& settings, const SampleSet& samples) {
    if (settings.model != ModelKind::autoencoder) return false;
    const auto& inputs = samples.inputs().shape;
    const auto& targets = samples.targets().shape;
    const bool fields =
        is_image(inputs) && is_image(targets) && std::equal(targets.end() - 2, targets.end(), inputs.end() - 2);
    return !fields;
}

const char* name_of(ModelKind model) {
    switch (model) {
        case ModelKind::cnn:
            return "cnn";
        case ModelKind::mlp:
            return "mlp";
        case ModelKind::autoencoder:
            return "autoencoder";
    }
    return "";
}

/// What is wrong with the targets, if anything is.
std::vector<Problem> misfits_of_targets(const Settings& settings, const SampleSet& samples,
                                        const std::string& data_key) {
    const auto& targets = samples.targets();
    if (reconstructs(settings, samples)) return {};
    if (targets.sample_elements() == 0) {
        return {
            {data_key, text("{}: there are no targets, {}, for the {} to learn; add them, or use `model: autoencoder`, "
                            "which reconstructs the inputs",
                            samples.location(), targets.path, name_of(settings.model))}};
    }
    if (!is_floating(targets.type) && !targets.shape.empty()) {
        return {{data_key, text("{}: a target is {} of integers; a class is one number, a target of regression has "
                                "floating-point numbers",
                                samples.location(), shape_text(targets.shape))}};
    }
    return {};
}

/// What is wrong with a depth that halves height and width of `inputs` so often, if anything is.
std::vector<Problem> misfits_of_depth(const Settings& settings, const std::vector<std::int64_t>& inputs,
                                      const std::string& location) {
    const std::int64_t height = inputs[inputs.size() - 2];
    const std::int64_t width = inputs.back();
    if (settings.model == ModelKind::cnn && std::min(height, width) >> settings.depth == 0) {
        return {
            {"trainer.depth", text("{} leaves nothing of the {} inputs of {}, for each convolution halves height and "
                                   "width; use less",
                                   settings.depth, shape_text(inputs), location)}};
    }
    const int most = std::countr_zero(static_cast<std::uint64_t>(height | width));
    if (settings.model == ModelKind::autoencoder && settings.depth > most) {
        return {{"trainer.depth",
                 text("{} does not fit the {} inputs of {}, whose height and width cannot both be halved {} times; "
                      "{}crop or pad the samples",
                      settings.depth, shape_text(inputs), location, settings.depth,
                      most > 0 ? text("use at most {}, or ", most) : "")}};
    }
    return {};
}

}  // namespace

std::vector<Problem> misfits(const Settings& settings, const SampleSet& samples, const std::string& data_key) {
    std::vector<Problem> problems = misfits_of_targets(settings, samples, data_key);
    if (settings.model == ModelKind::mlp) return problems;
    const auto& inputs = samples.inputs().shape;
    if (!is_image(inputs)) {
        const bool cnn = settings.model == ModelKind::cnn;
        problems.push_back({data_key, text("{}: a sample is {}, but the {} takes height x width or channels x height x "
                                           "width; {}",
                                           samples.location(), shape_text(inputs), name_of(settings.model),
                                           cnn ? "use `model: mlp`" : "store the samples so")});
        return problems;
    }
    const auto depth = misfits_of_depth(settings, inputs, samples.location());
    problems.insert(problems.end(), depth.begin(), depth.end());
    return problems;
}

bool ask_alike(const Settings& settings, const SampleSet& a, const SampleSet& b) {
    if (a.inputs().shape != b.inputs().shape) return false;
    const bool reconstruction = reconstructs(settings, a);
    if (reconstruction != reconstructs(settings, b)) return false;
    return reconstruction || a.targets().shape == b.targets().shape;
}

Task describe_task(const Settings& settings, const SampleSet& samples) {
    const auto& inputs = samples.inputs();
    const auto& targets = samples.targets();
    Task task{.input_shape = inputs.shape, .target_shape = targets.shape, .num_samples = samples.size()};
    if (reconstructs(settings, samples)) {
        task.kind = Task::Kind::reconstruction;
        task.target_shape = inputs.shape;
        task.num_outputs = inputs.sample_elements();
    } else if (is_floating(targets.type)) {
        task.kind = Task::Kind::regression;
        task.num_outputs = targets.sample_elements();
    } else {
        task.num_outputs = settings.classes > 0 ? settings.classes : count_classes(samples);
    }
    return task;
}

void to_json(nlohmann::json& json, const Task& task) {
    json = {{"kind", task.kind},
            {"input_shape", task.input_shape},
            {"target_shape", task.target_shape},
            {"num_outputs", task.num_outputs},
            {"num_samples", task.num_samples}};
}

void from_json(const nlohmann::json& json, Task& task) {
    json.at("kind").get_to(task.kind);
    json.at("input_shape").get_to(task.input_shape);
    json.at("target_shape").get_to(task.target_shape);
    json.at("num_outputs").get_to(task.num_outputs);
    json.at("num_samples").get_to(task.num_samples);
}

}  // namespace crescendo::trainer
