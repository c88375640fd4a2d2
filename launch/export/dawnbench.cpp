#include "launch/export/export_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <ranges>
#include <utility>

#include "core/check.hpp"
#include "core/shell_words.hpp"
#include "core/trial_protocol.hpp"
#include "launch/directory/latency_record.hpp"
#include "launch/journal/cost.hpp"
#include "launch/json/value_json.hpp"
#include "launch/json/whole_numbers.hpp"

namespace crescendo::launch {
namespace {

/// A column with a measure of quality in an entry's table.
struct Column {
    const char* name;
    std::vector<std::string> metrics;  ///< crescendo-trainer's name, then other likely ones; no "val_" or "test_"
    double scale;                      ///< value of a perfect result: 100, or 1
};

struct Task {
    const char* name;
    std::vector<Column> columns;
    double threshold;  ///< minimum of the last column for an accepted entry
};

/// The benchmark's README asks for an F1 score of 0.73, but its tests ask for 0.75.
const std::vector<Task>& tasks() {
    static const std::vector<Task> all{
        {"CIFAR10", {{"top1Accuracy", {"accuracy"}, 100}}, 94},
        {"ImageNet", {{"top1Accuracy", {"accuracy"}, 100}, {"top5Accuracy", {"top5", "top5_accuracy"}, 100}}, 93},
        {"SQuAD", {{"f1Score", {"f1"}, 1}}, 0.75}};
    return all;
}

const Task& task_of(const ExportRequest& request) {
    const auto found = std::ranges::find(tasks(), request.task, &Task::name);
    if (found != tasks().end()) {
        return *found;
    }
    const auto names = fmt::format("{}", fmt::join(tasks() | std::views::transform(&Task::name), ", "));
    throw InvalidInput(request.task ? fmt::format("DAWNBench has no task {}; it has {}", *request.task, names)
                                    : fmt::format("each DAWNBench entry is for one task; choose from {}", names),
                       "--task");
}

/// The entry data that follow from a sweep of crescendo-trainer.
Entry entry_of_trainer(const SweepFile& file, const Trial& trial) {
    Entry entry;
    if (!file.trainer) {
        return entry;
    }
    entry.framework = "Crescendo " CRESCENDO_VERSION;
    entry.model = file.trainer->value("model", "cnn");
    for (const auto& [name, value] : trial.config) {
        if (const auto* text = std::get_if<std::string>(&value); text != nullptr && name == "model") {
            entry.model = *text;
        }
    }
    return entry;
}

void require_complete(const Entry& entry) {
    std::string missing;
    for (const auto& each : entry_texts) {
        if (each.text == &Entry::code_url || entry.*each.text) {
            continue;
        }
        std::string option = each.key;
        std::ranges::replace(option, '_', '-');
        missing += fmt::format("{}--{} \"{}\"", missing.empty() ? "" : " ", option, each.example);
    }
    CRESCENDO_VALIDATE(missing.empty(), "",
                       "DAWNBench requires more data than the sweep has; add {}, or write them under entry: in the "
                       "sweep's file",
                       missing);
}

/// The text as part of a file name: letters, digits and dots stay, everything else becomes a dash.
std::string tag_of(const std::string& text) {
    std::string tag;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80 || std::isalnum(byte) != 0 || (c == '.' && !tag.empty())) {
            tag += c;
        } else if (!tag.empty() && tag.back() != '-') {
            tag += '-';
        }
    }
    tag.erase(tag.find_last_not_of('-') + 1);
    CRESCENDO_VALIDATE(
        !tag.empty(), "",
        "the entry's files are named after author, model, hardware and framework, but '{}' has neither a "
        "letter nor a digit",
        text);
    return tag;
}

std::string file_name(const Entry& entry) {
    return fmt::format("{}_{}_{}_{}", tag_of(*entry.author), tag_of(*entry.model), tag_of(*entry.hardware),
                       tag_of(*entry.framework));
}

/// The amount of resource in one epoch. The resource counts epochs unless the trainer's settings say otherwise.
double resource_of_epoch(const ExportRequest& request) {
    const auto& trainer = request.sweep.file.trainer;
    const auto unit = trainer && trainer->contains("report") ? trainer->at("report").value("unit", "epochs") : "epochs";
    CRESCENDO_VALIDATE(request.resource_of_epoch || unit == "epochs", "--epoch",
                       "the trials of this sweep count {}, but an entry counts epochs; add --epoch with the number of "
                       "{} per epoch",
                       unit, unit);
    return request.resource_of_epoch.value_or(1);
}

/// The first of the column's metrics, with this prefix, that exists; none if none does.
std::optional<std::string> usual_metric(const Column& column, const std::string& prefix,
                                        const protocol::Metrics& metrics) {
    const auto found =
        std::ranges::find_if(column.metrics, [&](const auto& name) { return metrics.contains(prefix + name); });
    return found == column.metrics.end() ? std::nullopt : std::optional(prefix + *found);
}

/// The metric for a column.
std::string metric_of(const Column& column, bool decides, const ExportRequest& request,
                      const std::vector<TrialReport>& reports) {
    const auto& metrics = reports.back().metrics;
    const auto names = fmt::format("{}", fmt::join(metrics | std::views::keys, ", "));
    if (const auto named = request.metrics.find(column.name); named != request.metrics.end()) {
        CRESCENDO_VALIDATE(metrics.contains(named->second), "--metric", "the trial does not report '{}'; it reports {}",
                           named->second, names);
        return named->second;
    }
    if (const auto usual = usual_metric(column, "val_", metrics)) {
        return *usual;
    }
    const auto& spec = request.sweep.file.spec;
    if (decides && spec.goal == Goal::maximize) {
        return spec.metric;
    }
    throw InvalidInput(fmt::format("the trial does not report val_{}, the usual source of DAWNBench's {}; add --metric "
                                   "{}=NAME with one of {}",
                                   column.metrics.front(), column.name, column.name, names),
                       "--metric");
}

/// Scales without rounding errors: 0.596 becomes 59.6 percent, not 59.599999999999994.
double scaled(double value, double scale) {
    constexpr double digits = 1e8;
    return std::round(value * scale * digits) / digits;
}

/// Values of a column, one per report, in the benchmark's scale. A metric that never exceeds 1 is a fraction; any other
/// is a percentage.
std::vector<double> values_of(const Column& column, const std::string& metric,
                              const std::vector<TrialReport>& reports) {
    std::vector<double> values;
    for (const auto& report : reports) {
        const auto value = protocol::find_metric(report.metrics, metric);
        CRESCENDO_VALIDATE(value && std::isfinite(*value), "--metric",
                           "the report at {} has no finite {}, but an entry needs a value in each line",
                           report.resource.value, metric);
        values.push_back(*value);
    }
    const auto [least, most] = std::ranges::minmax(values);
    CRESCENDO_VALIDATE(least >= 0 && most <= 100, "--metric",
                       "{} ranges from {} to {}, but {} is a fraction (0 to 1) or a percentage", metric, least, most,
                       column.name);
    const double scale = column.scale / (most <= 1 ? 1 : 100);
    for (auto& value : values) {
        value = scaled(value, scale);
    }
    return values;
}

OrderedJson head_of(const Entry& entry, const std::string& date) {
    OrderedJson json{{"version", "v1.0"}};
    for (const auto& each : entry_texts) {
        if (entry.*each.text) {
            json[each.in_json] = *(entry.*each.text);
        }
    }
    json["timestamp"] = date;
    return json;
}

std::string text_of(const OrderedJson& json) {
    return json.dump(4, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

/// The table: epoch, hours, and a column for each measure of quality.
std::string table_of(const std::vector<TrialReport>& reports, double resource_of_epoch, const Task& task,
                     const std::vector<std::vector<double>>& columns) {
    std::string text = "epoch\thours";
    for (const auto& column : task.columns) {
        text += fmt::format("\t{}", column.name);
    }
    text += '\n';
    double seconds = 0;
    for (std::size_t i = 0; i < reports.size(); ++i) {
        CRESCENDO_VALIDATE(reports[i].seconds, "",
                           "the report at {} has no training clock, because an older version recorded it; an entry "
                           "needs the time of each report",
                           reports[i].resource.value);
        // A trial that restarted from its checkpoint may have trained faster than before.
        seconds = std::max(seconds, *reports[i].seconds);
        text += fmt::format("{}\t{}", static_cast<double>(reports[i].resource.value) / resource_of_epoch,
                            seconds / 3600);
        for (const auto& column : columns) {
            text += fmt::format("\t{}", column[i]);
        }
        text += '\n';
    }
    return text;
}

/// A remark if the benchmark's minimum for the last column is not reached.
std::optional<std::string> shortfall(const Task& task, const char* what, double best) {
    if (best >= task.threshold) {
        return {};
    }
    return fmt::format("DAWNBench accepts entries for {} with a {} of at least {}; this one has {:.4g}", what,
                       task.columns.back().name, task.threshold, best);
}

/// Adds the entry for inference, if `crescendo latency` measured everything that it needs.
void add_inference(const ExportRequest& request, TrialId trial, const Task& task, const Entry& entry,
                   Exported& exported) {
    const auto record = read_latency(request.sweep.directory, trial);
    auto json = head_of(entry, request.date);
    double quality = 0;
    for (const auto& column : task.columns) {
        const auto& metrics = record ? record->latency.metrics : protocol::Metrics{};
        const auto test = usual_metric(column, "test_", metrics);
        const auto found = test ? test : usual_metric(column, "val_", metrics);
        if (!found) {
            exported.remarks.push_back(
                fmt::format("there is no entry for inference: trial {} has no latency measurement with {}; `crescendo "
                            "latency {} --trial {}` makes one",
                            trial.value, column.name, shell_quoted(request.sweep.directory.path()), trial.value));
            return;
        }
        quality = scaled(metrics.at(*found), column.scale);
        json[column.name] = quality;
    }
    const auto price = price_of_slot_hour(request.sweep.file.price, request.sweep.history);
    json["latency"] = record->latency.mean * 1e3;
    if (price || entry.cost_per_hour) {
        json["cost"] = (entry.cost_per_hour ? *entry.cost_per_hour : *price) * record->latency.mean / 3600;
    }
    auto misc = entry.misc;
    misc["processor"] = record->hardware;
    misc["threads"] = record->threads;
    misc["p99"] = record->latency.p99 * 1e3;
    json["misc"] = misc;
    exported.files.emplace_back(fmt::format("{}/inference/{}.json", task.name, file_name(entry)), text_of(json));
    if (auto remark = shortfall(task, "inference", quality)) {
        exported.remarks.push_back(std::move(*remark));
    }
}

}  // namespace

Exported dawnbench_entry(const ExportRequest& request) {
    const auto& task = task_of(request);
    const auto id = chosen_trial(request.sweep, request.trial, "there is nothing to export");
    const auto& trial = request.sweep.history.sweep().trial(id);
    const auto& file = request.sweep.file;
    const auto entry = request.entry.or_else(file.entry).or_else(entry_of_trainer(file, trial));
    require_complete(entry);
    const auto name = fmt::format("{}/train/{}", task.name, file_name(entry));
    const auto& reports = request.sweep.history.of(id).reports;
    CRESCENDO_VALIDATE(!reports.empty(), "--trial", "trial {} has not reported, so it has no learning curve", id.value);
    const int workers = request.sweep.history.of(id).most_workers;
    std::vector<std::vector<double>> columns;
    for (const auto& column : task.columns) {
        const bool decides = &column == &task.columns.back();
        columns.push_back(values_of(column, metric_of(column, decides, request, reports), reports));
    }

    auto json = head_of(entry, request.date);
    if (const auto price = price_of_slot_hour(file.price, request.sweep.history); price || entry.cost_per_hour) {
        json["costPerHour"] = entry.cost_per_hour ? *entry.cost_per_hour : *price * workers;
    }
    auto misc = entry.misc;
    misc.emplace("crescendo", CRESCENDO_VERSION);
    misc.emplace("workers", workers);
    misc.emplace("parameters", launch::to_json(with_whole_numbers(trial.config, file.spec.space)));
    json["misc"] = misc;
    Exported exported{{{name + ".json", text_of(json)},
                       {name + ".tsv", table_of(reports, resource_of_epoch(request), task, columns)}}};
    if (auto remark = shortfall(task, "training", *std::ranges::max_element(columns.back()))) {
        exported.remarks.push_back(std::move(*remark));
    }
    add_inference(request, id, task, entry, exported);
    return exported;
}

}  // namespace crescendo::launch
