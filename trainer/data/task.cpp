#include "trainer/data/task.hpp"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <string>

#include "core/check.hpp"
#include "datasets/samples/conversion.hpp"
#include "trainer/data/data_cache.hpp"

namespace crescendo::trainer {

using datasets::SampleSet;

NLOHMANN_JSON_SERIALIZE_ENUM(Task::Kind, {{Task::Kind::classification, "classification"},
                                          {Task::Kind::regression, "regression"},
                                          {Task::Kind::reconstruction, "reconstruction"}})

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

bool is_image(const std::vector<std::int64_t>& shape) { return shape.size() == 2 || shape.size() == 3; }

bool reconstructs(const Settings& settings, const SampleSet& samples) {
    if (settings.model != ModelKind::autoencoder) return false;
    if (samples.targets().size() == 0) return true;
    const auto inputs = joined_shape(samples.inputs());
    const auto targets = joined_shape(samples.targets());
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
    if (targets.size() == 0) {
        return {{data_key, text("{}: there are no targets for the {} to learn; add them, or use `model: autoencoder`, "
                                "which reconstructs the inputs",
                                samples.location(), name_of(settings.model))}};
    }
    std::vector<Problem> problems;
    const bool regression =
        std::all_of(targets.begin(), targets.end(), [](const auto& field) { return field.is_real(); });
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
        if (targets[i].is_real() || !settings.data.normalize.contains(name)) continue;
        const auto& inputs = settings.data.inputs;
        if (std::find(inputs.begin(), inputs.end(), name) != inputs.end()) continue;
        problems.push_back(
            {"trainer.data.normalize." + name,
             text("{} holds the numbers of classes, which have no mean; leave it out", targets[i].path)});
    }
    return problems;
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
    const auto inputs = joined_shape(samples.inputs());
    if (!is_image(inputs)) {
        const bool cnn = settings.model == ModelKind::cnn;
        problems.push_back({data_key, text("{}: a sample is {}, but the {} takes height x width or channels x height x "
                                           "width, and several inputs of equal height and width; {}",
                                           samples.location(), shapes_text(samples.inputs()), name_of(settings.model),
                                           cnn ? "use `model: mlp`" : "store the samples so")});
        return problems;
    }
    for (const auto& field : samples.inputs()) {
        if (!settings.data.layout && field.looks_channels_last()) {
            problems.push_back({"trainer.data.layout",
                                text("missing: the samples of {}:{} are {}, which looks like height x width x "
                                     "channels; say `layout: hwc` where it is so, `layout: chw` where the channels "
                                     "are first",
                                     samples.location(), field.path, shape_text(field.shape))});
            return problems;  // what fits depends on it
        }
    }
    const auto depth = misfits_of_depth(settings, inputs, samples.location());
    problems.insert(problems.end(), depth.begin(), depth.end());
    return problems;
}

bool ask_alike(const Settings& settings, const SampleSet& a, const SampleSet& b) {
    const auto alike = [](const datasets::Fields& one, const datasets::Fields& other) {
        return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                          [](const auto& x, const auto& y) { return x.shape == y.shape; });
    };
    if (!alike(a.inputs(), b.inputs())) return false;
    const bool reconstruction = reconstructs(settings, a);
    if (reconstruction != reconstructs(settings, b)) return false;
    return reconstruction || alike(a.targets(), b.targets());
}

bool learns_classes(const Settings& settings, const SampleSet& samples) {
    return !reconstructs(settings, samples) && !samples.targets()[0].is_real();
}

std::int64_t num_classes(const Settings& settings, DataCache& data) {
    return settings.classes > 0 ? settings.classes : std::ssize(data.classes(settings.data.train, settings.data));
}

Task describe_task(const Settings& settings, DataCache& data) {
    const auto& samples = *data.set(settings.data.train, settings.data);
    const auto& targets = samples.targets();
    Task task;
    task.input_shape = joined_shape(samples.inputs());
    task.num_samples = samples.size();
    if (reconstructs(settings, samples)) {
        task.kind = Task::Kind::reconstruction;
        task.target_shape = task.input_shape;
        task.num_outputs = samples.inputs().sample_elements();
        return task;
    }
    task.target_shape = joined_shape(targets);
    if (learns_classes(settings, samples)) {
        task.num_outputs = num_classes(settings, data);
    } else {
        task.kind = Task::Kind::regression;
        task.num_outputs = targets.sample_elements();
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
