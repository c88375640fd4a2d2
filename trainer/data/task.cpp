#include "trainer/data/task.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "core/check.hpp"
#include "core/words.hpp"
#include "trainer/data/data_cache.hpp"
#include "trainer/data/latitude.hpp"
#include "trainer/data/shapes.hpp"
#include "trainer/settings/loss_spec.hpp"
#include "trainer/settings/model_spec.hpp"

namespace crescendo::trainer {

using datasets::SampleSet;

namespace {

constexpr Words kinds{{std::pair{Task::Kind::classification, "classification"},
                       {Task::Kind::regression, "regression"},
                       {Task::Kind::reconstruction, "reconstruction"}}};

/// A hint how to select the single number of a row that still has axes, as in labels of shape N x 1.
std::string hint_of_lone_number(const std::string& name, const std::vector<std::int64_t>& shape) {
    const bool is_lone = std::all_of(shape.begin(), shape.end(), [](auto length) { return length == 1; });
    if (!is_lone || name.find('[') != std::string::npos) {
        return "";
    }
    std::string indices = ":";
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        indices += ", 0";
    }
    return text(". Select its only number: targets: \"{}[{}]\"", name, indices);
}

/// Returns what is wrong with the targets, if anything.
std::vector<Problem> misfits_of_targets(const Settings& settings, const SampleSet& samples,
                                        const std::string& data_key) {
    const auto& targets = samples.targets();
    if (settings.model->reconstructs(samples)) {
        return {};
    }
    if (targets.size() == 0) {
        return {{data_key, text("{}: there are no targets for the {} to learn; name their data set in data.targets, or "
                                "use `model: autoencoder`, which reconstructs the inputs",
                                samples.location(), settings.model->name)}};
    }
    std::vector<Problem> problems;
    const bool regression =
        std::all_of(targets.begin(), targets.end(), [](const auto& field) { return field.is_real(); });
    if (!regression && targets.size() > 1) {
        problems.push_back({data_key, text("{}: one of several targets holds integers; for classes, name a single "
                                           "target; for regression, store floating-point numbers",
                                           samples.location())});
    } else if (!regression && !targets[0].shape.empty()) {
        problems.push_back(
            {data_key,
             text("{}: a target is {} integers; a class is one integer, and regression needs floating-point numbers{}",
                  samples.location(), shape_text(targets[0].shape),
                  hint_of_lone_number(settings.data.targets[0], targets[0].shape))});
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const auto& name = settings.data.targets[i];
        if (targets[i].is_real() || !settings.data.normalize.contains(name)) {
            continue;
        }
        const auto& inputs = settings.data.inputs;
        if (std::find(inputs.begin(), inputs.end(), name) != inputs.end()) {
            continue;
        }
        problems.push_back({"trainer.data.normalize." + name,
                            text("{} holds class numbers, which have no mean; leave it out", targets[i].path)});
    }
    return problems;
}

/// The name of the target, or of the reconstructed input, that is standardized; empty if none is.
std::string standardized_target(const Settings& settings, const SampleSet& samples) {
    const auto& names = settings.model->reconstructs(samples) ? settings.data.inputs : settings.data.targets;
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const auto& name) { return settings.data.standardizes(name); });
    return found != names.end() ? *found : "";
}

/// Returns what is wrong with the loss and the metrics, given targets without problems.
std::vector<Problem> misfits_of_objective(const Settings& settings, const SampleSet& samples) {
    const bool classes = learns_classes(settings, samples);
    std::vector<Problem> problems;
    const char* const found = classes ? "classes" : "numbers";
    const char* const other = classes ? "numbers" : "classes";
    const Loss loss = settings.loss.loss;
    if (loss != Loss::automatic && classes != (loss == Loss::cross_entropy)) {
        problems.push_back(
            {"trainer.loss", text("{} compares {}, but the targets are {}; use {}", loss_words.of(loss), other, found,
                                  classes ? "cross_entropy" : "mse, mae, huber, bce or relative_l2")});
    }
    if (const auto name = standardized_target(settings, samples); loss == Loss::bce && !classes && !name.empty()) {
        problems.push_back({"trainer.loss", text("bce needs numbers from 0 to 1, but data.normalize gives {} a mean of "
                                                 "0 and a spread of 1; set data.normalize: {{}: none}, or use mse",
                                                 name, name)});
    }
    if (settings.loss.weighs_classes() && !classes) {
        problems.push_back({settings.loss.class_weights.empty() ? "trainer.class_balance" : "trainer.class_weights",
                            "it weights samples by their class, but the targets are numbers; leave it out"});
    }
    for (const auto metric : settings.metrics) {
        const bool of_classes = metric == Metric::top5 || metric == Metric::f1 || metric == Metric::balanced_accuracy ||
                                metric == Metric::auroc;
        if (of_classes != classes) {
            problems.push_back(
                {"trainer.metrics",
                 text("{} is a metric of {}, but the targets are {}; use {}", metric_words.of(metric), other, found,
                      classes ? "top5, f1, balanced_accuracy or auroc" : "mae, rmse, r2 or relative_l2")});
        }
    }
    return problems;
}

/// Returns why the augmentation cannot be applied to these samples.
std::vector<Problem> misfits_of_augmentation(const Settings& settings, const SampleSet& samples) {
    const auto& augmentation = settings.augmentation;
    const auto inputs = joined_shape(samples.inputs());
    const bool parts_fields = !settings.model->reconstructs(samples) && is_image(joined_shape(samples.targets()));
    std::vector<Problem> problems;
    const auto check = [&](const char* key, bool used, bool moves) {
        if (used && !is_image(inputs)) {
            problems.push_back(
                {std::string("trainer.") + key, text("it is for images, but a sample of {} is {}; leave it out",
                                                     samples.location(), shape_text(inputs))});
        } else if (used && moves && parts_fields) {
            problems.push_back({std::string("trainer.") + key,
                                text("it would move the inputs, but not the {} targets of {}; leave it out",
                                     shape_text(joined_shape(samples.targets())), samples.location())});
        }
    };
    check("flip", augmentation.flip != Flip::none, /*moves=*/true);
    check("crop_padding", augmentation.crop_padding > 0, /*moves=*/true);
    check("cutout", augmentation.cutout > 0, /*moves=*/false);
    if (problems.empty() && !settings.data.latitude.empty()) {
        const bool mirrors = augmentation.flip == Flip::vertical || augmentation.flip == Flip::both;
        if (mirrors || augmentation.crop_padding > 0) {
            problems.push_back(
                {mirrors ? "trainer.flip" : "trainer.crop_padding",
                 "it would move rows to wrong latitudes; leave out either this or trainer.data.latitude"});
        }
    }
    return problems;
}

}  // namespace

std::vector<Problem> misfits(const Settings& settings, const SampleSet& samples, const std::string& data_key) {
    std::vector<Problem> problems = misfits_of_targets(settings, samples, data_key);
    if (problems.empty()) {
        problems = misfits_of_objective(settings, samples);
    }
    if (problems.empty()) {
        problems = misfits_of_augmentation(settings, samples);
    }
    const auto of_model = settings.model->misfits(samples, settings.data, data_key);
    problems.insert(problems.end(), of_model.begin(), of_model.end());
    return problems;
}

bool ask_alike(const Settings& settings, const SampleSet& a, const SampleSet& b) {
    const auto alike = [](const datasets::Fields& one, const datasets::Fields& other) {
        return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                          [](const auto& x, const auto& y) { return x.shape == y.shape; });
    };
    if (!alike(a.inputs(), b.inputs())) {
        return false;
    }
    const bool reconstruction = settings.model->reconstructs(a);
    if (reconstruction != settings.model->reconstructs(b)) {
        return false;
    }
    return reconstruction || alike(a.targets(), b.targets());
}

bool learns_classes(const Settings& settings, const SampleSet& samples) {
    return !settings.model->reconstructs(samples) && !samples.targets()[0].is_real();
}

std::vector<std::string> reported_metrics(const Settings& settings, const SampleSet& samples) {
    std::vector<std::string> names{"train_loss"};
    if (settings.data.validation.empty()) {
        return names;
    }
    names.emplace_back("val_loss");
    if (learns_classes(settings, samples)) {
        names.emplace_back("val_accuracy");
    }
    for (const auto metric : settings.metrics) {
        names.push_back(std::string("val_") + metric_words.of(metric));
    }
    return names;
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
    task.wants_shares = settings.loss.loss == Loss::bce;
    if (settings.model->reconstructs(samples)) {
        task.kind = Task::Kind::reconstruction;
        task.target_shape = task.input_shape;
        task.num_outputs = samples.inputs().sample_elements();
        task.row_weights = latitude_weights(samples.location(), samples.inputs(), settings.data);
        return task;
    }
    task.target_shape = joined_shape(targets);
    task.row_weights = latitude_weights(samples.location(), targets, settings.data);
    if (learns_classes(settings, samples)) {
        task.num_outputs = num_classes(settings, data);
        if (settings.loss.weighs_classes()) {
            task.class_weights =
                class_weights(settings.loss, data.classes(settings.data.train, settings.data), task.num_outputs);
        }
    } else {
        task.kind = Task::Kind::regression;
        task.num_outputs = targets.sample_elements();
    }
    return task;
}

std::vector<Problem> misfits_of_task(const Settings& settings, const Task& task) {
    std::vector<Problem> problems = settings.model->misfits_of_task(task);
    const auto given = std::ssize(settings.loss.class_weights);
    if (given > 0 && task.kind == Task::Kind::classification && given != task.num_outputs) {
        problems.push_back(
            {"trainer.class_weights",
             text("it has {} numbers, but there are {} classes; give one for each", given, task.num_outputs)});
    }
    if (settings.loss.of_plugin) {
        const auto of_loss = settings.loss.of_plugin->misfits_of_task(task);
        problems.insert(problems.end(), of_loss.begin(), of_loss.end());
        if (!task.row_weights.empty()) {
            problems.push_back({"trainer.data.latitude",
                                text("the plug-in loss {} gives one number for each sample, so it cannot weight rows; "
                                     "leave this out, or use mse, mae, huber, bce or relative_l2",
                                     settings.loss.of_plugin->name)});
        }
    }
    return problems;
}

std::string misfit_of_outputs(const Task& task, const std::vector<std::int64_t>& outputs, std::int64_t num_samples) {
    const bool classes = task.kind == Task::Kind::classification;
    const std::vector<std::int64_t> wanted{num_samples, task.num_outputs};
    const auto count = std::accumulate(outputs.begin(), outputs.end(), std::int64_t{1}, std::multiplies<>());
    const bool fits =
        classes ? outputs == wanted
                : !outputs.empty() && outputs.front() == num_samples && count == num_samples * task.num_outputs;
    if (fits) {
        return {};
    }
    return text("returns {} for {} samples, but the targets need {}: {}",
                outputs.empty() ? "a single number" : shape_text(outputs),
                num_samples == 2 ? "two" : std::to_string(num_samples), shape_text(wanted),
                classes
                    ? text("a score for each of {} classes; change its last layer, or set `classes`", task.num_outputs)
                    : text("{} numbers for each", task.num_outputs));
}

void to_json(nlohmann::json& json, const Task& task) {
    json = {{"kind", kinds.of(task.kind)},
            {"input_shape", task.input_shape},
            {"target_shape", task.target_shape},
            {"num_outputs", task.num_outputs},
            {"num_samples", task.num_samples}};
    if (!task.class_weights.empty()) {
        json["class_weights"] = task.class_weights;
    }
    if (!task.row_weights.empty()) {
        json["row_weights"] = task.row_weights;
    }
    if (task.wants_shares) {
        json["wants_shares"] = true;
    }
}

void from_json(const nlohmann::json& json, Task& task) {
    task.kind = kinds.find(json.at("kind").get<std::string>()).value();
    json.at("input_shape").get_to(task.input_shape);
    json.at("target_shape").get_to(task.target_shape);
    json.at("num_outputs").get_to(task.num_outputs);
    json.at("num_samples").get_to(task.num_samples);
    task.class_weights = json.value("class_weights", std::vector<double>{});
    task.row_weights = json.value("row_weights", std::vector<double>{});
    task.wants_shares = json.value("wants_shares", false);
}

}  // namespace crescendo::trainer
