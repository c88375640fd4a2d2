#include "trainer/task.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "core/check.hpp"
#include "datasets/conversion.hpp"

namespace crescendo::trainer {

using datasets::SampleSet;

namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string words;
    for (const auto length : shape) words += text("{}{}", words.empty() ? "" : "x", length);
    return words.empty() ? "a single number" : words;
}

/// Channels x height x width of all fields where these stack, else as many numbers as they have.
std::vector<std::int64_t> joined_shape(const datasets::Fields& fields) {
    if (fields.size() == 1) return fields[0].shape;
    const auto& first = fields[0].shape;
    std::int64_t channels = 0;
    for (const auto& field : fields) {
        const auto& shape = field.shape;
        const auto rank = shape.size();
        const bool stacks = (rank == 2 || rank == 3) && first.size() >= 2 && shape[rank - 1] == first.back() &&
                            shape[rank - 2] == first[first.size() - 2];
        if (!stacks) return {fields.sample_elements()};
        channels += rank == 3 ? shape[0] : 1;
    }
    return {channels, first[first.size() - 2], first.back()};
}

std::string shapes_text(const datasets::Fields& fields) {
    std::string words;
    for (const auto& field : fields) words += text("{}{}", words.empty() ? "" : " and ", shape_text(field.shape));
    return words;
}

std::int64_t count_classes(const SampleSet& samples) {
    const auto& targets = samples.targets()[0];
    const auto to_class = datasets::Conversion::to_int64(targets);
    std::int64_t most = 0;
    std::vector<std::byte> input_bytes;
    std::vector<std::byte> target_bytes;
    for (std::int64_t begin = 0; begin < samples.size(); begin += samples.chunk_samples()) {
        const std::int64_t count = std::min(samples.chunk_samples(), samples.size() - begin);
        input_bytes.resize(samples.inputs().bytes_of(count));
        target_bytes.resize(targets.bytes_of(count));
        samples.read(begin, count, input_bytes, target_bytes);
        for (std::int64_t i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(i) * targets.pitch_bytes();
            std::int64_t number = 0;
            to_class.convert(std::span(target_bytes).subspan(at, targets.sample_bytes()),
                             reinterpret_cast<std::byte*>(&number));
            CRESCENDO_VALIDATE(number >= 0, "trainer.data.train",
                               "{}: {} holds the class {}, but classes count from 0; renumber them", samples.location(),
                               targets.path, number);
            most = std::max(most, number);
        }
    }
    return most + 1;
}

}  // namespace

std::vector<Problem> misfits(const Settings& settings, const SampleSet& samples, const std::string& data_key) {
    std::vector<Problem> problems;
    const auto& targets = samples.targets();
    const bool regression =
        std::all_of(targets.begin(), targets.end(), [](const auto& field) { return is_floating(field.type); });
    if (!regression && targets.size() > 1) {
        problems.push_back({data_key, text("{}: of several targets one holds integers; a class is learned alone, and "
                                           "targets of regression have floating-point numbers",
                                           samples.location())});
    } else if (!regression && !targets[0].shape.empty()) {
        problems.push_back({data_key, text("{}: a target is {} of integers; a class is one number, a target of "
                                           "regression has floating-point numbers",
                                           samples.location(), shape_text(targets[0].shape))});
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const auto& name = settings.data.targets[i];
        if (is_floating(targets[i].type) || !settings.data.normalize.contains(name)) continue;
        const auto& inputs = settings.data.inputs;
        if (std::find(inputs.begin(), inputs.end(), name) != inputs.end()) continue;
        problems.push_back(
            {"trainer.data.normalize." + name,
             text("{} holds the numbers of classes, which have no mean; leave it out", targets[i].path)});
    }
    if (settings.model != ModelKind::cnn) return problems;
    const auto inputs = joined_shape(samples.inputs());
    if (inputs.size() != 2 && inputs.size() != 3) {
        problems.push_back({data_key, text("{}: a sample is {}, but the cnn takes height x width or channels x "
                                           "height x width, and several inputs of equal height and width; use `model: "
                                           "mlp`",
                                           samples.location(), shapes_text(samples.inputs()))});
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
    const auto& targets = samples.targets();
    Task task{.input_shape = joined_shape(samples.inputs()),
              .target_shape = joined_shape(targets),
              .num_samples = samples.size()};
    if (is_floating(targets[0].type)) {
        task.kind = Task::Kind::regression;
        task.num_outputs = targets.sample_elements();
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
