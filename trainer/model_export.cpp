#include "trainer/model_export.hpp"

#include <ATen/core/Dict.h>
#include <ATen/core/ivalue.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/files/durable_file.hpp"
#include "datasets/hdf5/data_set_name.hpp"
#include "datasets/hdf5/location.hpp"
#include "datasets/samples/selection.hpp"
#include "trainer/checkpoint/checkpoint.hpp"
#include "trainer/checkpoint/plain_pickle.hpp"
#include "trainer/checkpoint/safetensors.hpp"
#include "trainer/data/data_cache.hpp"
#include "trainer/data/normalization.hpp"
#include "trainer/models/model.hpp"
#include "trainer/models/python_network.hpp"
#include "trainer/settings/model_spec.hpp"
#include "trainer/training/evaluation.hpp"

namespace crescendo::trainer {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// Writes the weights. Returns why there is no model.safetensors; empty if it was written.
std::string write_weights(const fs::path& folder, const std::vector<NamedTensor>& tensors) {
    c10::Dict<std::string, at::Tensor> state_dict;
    for (const auto& [name, tensor] : tensors) {
        state_dict.insert(name, tensor.detach().contiguous());
    }
    write_plainly(folder / "model.pt", state_dict);
    std::string misfit = misfit_of_safetensors(tensors);
    if (misfit.empty()) {
        write_safetensors(folder / "model.safetensors", tensors);
    }
    return misfit;
}

/// The location with an absolute path, so that it can be read from any folder; empty if `text` is empty.
std::string absolute(const std::string& text) {
    if (text.empty()) {
        return text;
    }
    const auto selection = datasets::Selection::parse(text);
    auto location = datasets::Location::parse(selection.group);
    location.file = fs::absolute(location.file);
    return to_string(location) + selection.suffix();
}

/// Infinite bounds become null, because JSON has no infinity.
json bound(double value) { return std::isfinite(value) ? json(value) : json(); }

json packing_json(const std::optional<datasets::Packing>& packing) {
    if (!packing) {
        return {};
    }
    return {{"wrap", packing->wrap},
            {"scale", packing->scaled ? packing->scale : 1.0},
            {"offset", packing->scaled ? packing->offset : 0.0},
            {"missing", packing->missing},
            {"valid_min", bound(packing->valid_min)},
            {"valid_max", bound(packing->valid_max)}};
}

/// The selection on each axis of a row: [begin, end), or a single index.
json part_json(const std::optional<datasets::RowPart>& part) {
    json taken;
    for (std::size_t axis = 0; part && axis < part->ranges.size(); ++axis) {
        const auto& [begin, end] = part->ranges[axis];
        const bool is_kept = std::find(part->axes.begin(), part->axes.end(), axis) != part->axes.end();
        taken.push_back(is_kept ? json{begin, end} : json(begin));
    }
    return taken;
}

/// The padding of images in the form of np.pad's argument.
json padding_json(const datasets::Field& field) {
    if (!field.padding) {
        return {};
    }
    const auto& [top, left, height, width, with] = *field.padding;
    const auto bottom = field.shape[field.shape.size() - 2] - top - height;
    const auto right = field.shape.back() - left - width;
    return {{"sides", {{top, bottom}, {left, right}}}, {"mode", with == datasets::PadWith::edge ? "edge" : "constant"}};
}

/// How a data set's numbers become inputs or targets. Without a normalization, they are classes.
json field_json(const std::string& name, const datasets::Field& field,
                const std::optional<datasets::Normalization>& normalization) {
    const auto data_set = datasets::DataSetName::parse(name).name;
    if (!normalization) {
        return {{"name", name}, {"data_set", data_set}, {"packing", packing_json(field.packing)}};
    }
    return {{"name", name},
            {"data_set", data_set},
            {"part", part_json(field.part)},
            {"pad", padding_json(field)},
            {"axes", field.shape.size() - (field.window > 0 ? 1 : 0)},  // axes of a row
            {"channels_last", field.channels_last},
            {"packing", packing_json(field.packing)},
            {"mean", normalization->mean},
            {"std", normalization->std}};
}

/// The names of an evaluation's metrics, without their prefix.
std::vector<std::string> names_of_metrics(const Settings& settings, const Task& task) {
    std::vector<std::string> names;
    if (!settings.loss.of_plugin) {
        names.emplace_back("loss");
    }
    if (task.kind == Task::Kind::classification) {
        names.emplace_back("accuracy");
    }
    for (const auto metric : settings.metrics) {
        names.emplace_back(metric_words.of(metric));
    }
    return names;
}

/// The description of the trial that load.py reads.
json description_of(const Trial& trial, const std::string& network) {
    const Settings& settings = trial.settings();
    const Task& task = trial.task();
    DataCache data;
    const auto samples =
        data.set(settings.data.validation.empty() ? settings.data.train : settings.data.validation, settings.data);
    const auto normalization = normalizations(*samples, settings.data);
    json inputs = json::array();
    for (std::size_t i = 0; i < samples->inputs().size(); ++i) {
        inputs.push_back(field_json(settings.data.inputs[i], samples->inputs()[i], normalization[i]));
    }
    json targets = json::array();
    for (std::size_t i = 0; task.kind != Task::Kind::reconstruction && i < samples->targets().size(); ++i) {
        targets.push_back(
            field_json(settings.data.targets[i], samples->targets()[i], normalization[inputs.size() + i]));
    }
    const Progress& progress = trial.progress();
    json reported = json::object();
    if (progress.report_pending) {  // otherwise the weights were trained further
        reported = json(*progress.report).at("metrics");
    }
    const auto& window = settings.data.window;
    return {{"trial", trial.number()},
            {"resource", progress.reported()},
            {"model", network},
            {"task", task},
            {"train", absolute(settings.data.train)},
            {"validation", absolute(settings.data.validation)},
            {"test", absolute(settings.data.test)},
            {"inputs", inputs},
            {"targets", targets},
            {"window", {{"length", window.length}, {"stride", window.stride}, {"horizon", window.horizon}}},
            {"non_finite", datasets::non_finite_words.of(settings.data.nan)},
            {"loss", {{"name", loss_words.of(settings.loss.loss)}, {"huber_delta", settings.loss.huber_delta}}},
            {"metrics", names_of_metrics(settings, task)},
            {"precision", precision_words.of(settings.precision)},
            {"reported", reported}};
}

}  // namespace

json export_model(const json& request, const Catalogue& catalogue) {
    const fs::path folder = request.at("folder").get<std::string>();
    const Settings settings = read_settings(request.at("settings"), catalogue);
    const auto device = make_cpu_device();
    const auto trial = read_checkpoint(request.at("checkpoint").get<std::string>(), request.at("trial"), /*seed=*/0,
                                       settings, *device);
    const EvaluationMode mode(*trial);
    const std::string misfit = write_weights(folder, trial->named_tensors());
    const std::string network = settings.model->write_network(trial->model(), trial->task(), folder);
    json description = description_of(*trial, network);
    json files{"model.pt", "export.json"};
    if (misfit.empty()) {
        files.insert(files.end() - 1, "model.safetensors");
    } else {
        description["left_out"] = {{"model.safetensors", misfit}};
    }
    replace_file(folder / "export.json", description.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
    if (!network.empty()) {
        replace_file(folder / "load.py", python_load);
        files.insert(files.begin(), "load.py");
        files.insert(files.end() - 1, network);
    }
    json answer{{"resource", trial->progress().reported()}, {"files", files}};
    if (!misfit.empty()) {
        answer["left_out"] = description.at("left_out");
    }
    return answer;
}

}  // namespace crescendo::trainer
