#include "launch/view/trials_table.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>

#include "core/trial_protocol.hpp"
#include "launch/display/column_names.hpp"
#include "launch/journal/cost.hpp"
#include "launch/json/whole_numbers.hpp"
#include "launch/view/results.hpp"

namespace crescendo::launch {
namespace {

constexpr std::array first_columns{"trial", "status", "resource", "workers"};
constexpr std::array columns_of_repetitions{"judged", "configuration", "repetition"};
constexpr std::array last_columns{"origin",     "reason", "failures",  "seconds",           "elapsed_seconds",
                                  "slot_hours", "cost",   "data_wait", "speedup_predicted", "speedup_measured"};
constexpr const char* column_of_gpu_energy = "gpu_joules";

/// The columns of trials_table() that are neither metrics nor parameters.
std::vector<std::string> own_columns(const History& history) {
    std::vector<std::string> columns(first_columns.begin(), first_columns.end());
    columns.insert(columns.end(), last_columns.begin(), last_columns.end());
    if (history.sweep().spec().repeat.is_on()) {
        columns.insert(columns.end(), columns_of_repetitions.begin(), columns_of_repetitions.end());
    }
    if (history.energy().gpus) {
        columns.emplace_back(column_of_gpu_energy);
    }
    return columns;
}

std::set<std::string> metric_names(const History& history) {
    std::set<std::string> names;
    for (const auto& trial : history.sweep().trials()) {
        if (const auto& reports = history.of(trial.id).reports; !reports.empty()) {
            for (const auto& [name, value] : reports.back().metrics) {
                names.insert(name);
            }
        }
    }
    names.erase(history.sweep().spec().metric);
    return names;
}

Cell metric_of(const TrialHistory& trial, const std::string& name) {
    return trial.reports.empty() ? Cell{} : known_cell(protocol::find_metric(trial.reports.back().metrics, name));
}

}  // namespace

/// Relies on a configuration being in the order of the space.
std::vector<Cell> parameter_cells(const Config& config, const SearchSpace& space) {
    std::vector<Cell> cells;
    auto next = config.begin();
    for (const auto& parameter : space.parameters()) {
        const bool is_there = next != config.end() && next->first == parameter.name;
        cells.push_back(is_there ? to_cell((next++)->second) : Cell{});
    }
    return cells;
}

TrialColumns trial_columns(const History& history) {
    const auto& spec = history.sweep().spec();
    ColumnNames names(own_columns(history));
    TrialColumns columns;
    columns.metric = spec.metric.empty() ? names.take("metrics", "metric") : names.take("metrics", spec.metric);
    columns.ranked_by = spec.repeat.is_on() ? columns_of_repetitions.front() : columns.metric;
    for (const auto& parameter : spec.space.parameters()) {
        columns.parameters[parameter.name] = names.take("parameters", parameter.name);
    }
    for (const auto& name : metric_names(history)) {
        columns.others[name] = names.take("metrics", name);
    }
    return columns;
}

Table trials_table(const History& history, std::optional<double> price_of_slot_hour) {
    const auto& sweep = history.sweep();
    const auto names = trial_columns(history);
    const auto& spec = sweep.spec();
    const auto& repeat = spec.repeat;
    const auto& metric = spec.metric;
    std::vector<std::string> columns(first_columns.begin(), first_columns.end());
    columns.push_back(names.metric);
    if (repeat.is_on()) {
        columns.insert(columns.end(), columns_of_repetitions.begin(), columns_of_repetitions.end());
    }
    for (const auto& [name, column] : names.others) {
        columns.push_back(column);
    }
    for (const auto& parameter : spec.space.parameters()) {
        columns.push_back(names.parameters.at(parameter.name));
    }
    columns.insert(columns.end(), last_columns.begin(), last_columns.end());
    const bool has_gpu_energy = history.energy().gpus.has_value();
    if (has_gpu_energy) {
        columns.emplace_back(column_of_gpu_energy);
    }
    Table table(columns);
    for (const auto& trial : sweep.trials()) {
        const auto& seen = history.of(trial.id);
        const double until = seen.ended.value_or(history.elapsed());
        const double slot_seconds = history.slot_seconds_of(trial.id);
        std::vector<Cell> row{std::int64_t{trial.id.value}, std::string(to_string(trial.status)), trial.resource.value,
                              std::int64_t{seen.most_workers}, metric_of(seen, metric)};
        row.reserve(columns.size());
        if (repeat.is_on()) {
            row.insert(row.end(), {known_cell(judged_value(sweep, trial.id)),
                                   std::int64_t{repeat.configuration_of(trial.id).value},
                                   std::int64_t{repeat.repetition_of(trial.id)}});
        }
        for (const auto& [name, column] : names.others) {
            row.push_back(metric_of(seen, name));
        }
        std::ranges::move(parameter_cells(with_whole_numbers(trial.config, spec.space), spec.space),
                          std::back_inserter(row));
        row.insert(
            row.end(),
            {std::string(origins.of(trial.origin)),
             trial.reason ? Cell{std::string(stop_reasons.of(*trial.reason))} : Cell{}, std::int64_t{trial.failures},
             known_cell(seen.reports.empty() ? std::nullopt : seen.reports.back().seconds),
             seen.started ? Cell{until - *seen.started} : Cell{}, slot_seconds / 3600,
             known_cell(cost_of(slot_seconds, price_of_slot_hour)), known_cell(seen.data_wait.value()),
             known_cell(sweep.growth().predicted_speedup(trial.id)),
             known_cell(sweep.growth().measured_speedup(trial.id))});
        if (has_gpu_energy) {
            row.push_back(known_cell(seen.gpu_joules));
        }
        table.add_row(std::move(row));
    }
    return table;
}

}  // namespace crescendo::launch
