#include "launch/export/export_formats.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/mapped.hpp"
#include "core/trial_protocol.hpp"
#include "launch/display/column_names.hpp"
#include "launch/export/dated_sweep.hpp"
#include "launch/json/json.hpp"
#include "launch/json/value_json.hpp"
#include "launch/view/results.hpp"

namespace crescendo::launch {
namespace {

constexpr const char* worker = "crescendo";

// Numbers of optuna.storages.journal.JournalOperation.
enum Operation { create_study = 0, set_study_user_attr = 2, set_study_system_attr = 3, create_trial = 4 };

// Numbers of optuna.trial.TrialState.
enum class State { running = 0, complete = 1, pruned = 2, failed = 3, waiting = 4 };

OrderedJson operation(Operation operation) { return {{"op_code", operation}, {"worker_id", worker}}; }

OrderedJson about_study(Operation what) {
    auto json = operation(what);
    json["study_id"] = 0;
    return json;
}

/// 2026-11-30T12:00:00.250000+00:00
OrderedJson date_json(std::optional<double> date) {
    if (!date) {
        return nullptr;
    }
    const auto seconds = std::floor(*date);
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}+00:00", fmt::gmtime(static_cast<std::time_t>(seconds)),
                       static_cast<int>((*date - seconds) * 1e6));
}

/// Optuna's choices are null, booleans, numbers and texts, so lists and maps become JSON text.
OrderedJson choice(const Value& value) {
    const auto json = to_json(value);
    return json.is_structured() ? OrderedJson(json.dump()) : OrderedJson(json);
}

/// A parameter in Optuna's form.
struct OptunaParameter {
    std::string name;
    std::string distribution;     ///< JSON text
    std::vector<Value> choices{};  ///< choices of a categorical parameter; else empty

    /// The value as storages keep it: a number, or the index of a choice.
    OrderedJson internal(const Value& value) const {
        if (choices.empty()) {
            return to_number(value);
        }
        return std::ranges::find(choices, value) - choices.begin();
    }
};

OrderedJson float_distribution(double low, double high, bool log) {
    return {{"name", "FloatDistribution"},
            {"attributes", {{"step", nullptr}, {"low", low}, {"high", high}, {"log", log}}}};
}

/// The smallest and the largest value among the trials.
std::pair<double, double> seen_range(const std::string& name, const Sweep& sweep) {
    std::pair range{HUGE_VAL, -HUGE_VAL};
    for (const auto& trial : sweep.trials()) {
        for (const auto& [parameter, value] : trial.config) {
            if (parameter == name) {
                range.first = std::min(range.first, to_number(value));
                range.second = std::max(range.second, to_number(value));
            }
        }
    }
    return range.first <= range.second ? range : std::pair{0.0, 1.0};
}

/// Converts our distributions to Optuna's JSON. Optuna only has uniform and log-uniform ones, so for an unbounded
/// distribution it gets the range of the values seen.
struct ToOptuna {
    const Parameter& parameter;
    const Sweep& sweep;

    OptunaParameter as(const OrderedJson& distribution) const { return {parameter.name, one_line(distribution)}; }
    OptunaParameter seen(bool log) const {
        const auto [low, high] = seen_range(parameter.name, sweep);
        return as(float_distribution(low, high, log));
    }
    OptunaParameter categorical(std::vector<Value> values) const {
        const auto choices = mapped(values, choice);
        return {parameter.name,
                one_line(OrderedJson{{"name", "CategoricalDistribution"}, {"attributes", {{"choices", choices}}}}),
                std::move(values)};
    }

    OptunaParameter operator()(const Uniform& each) const { return as(float_distribution(each.min, each.max, false)); }
    OptunaParameter operator()(const LogUniformValues& each) const {
        return as(float_distribution(each.min, each.max, true));
    }
    OptunaParameter operator()(const IntUniform& each) const {
        return as({{"name", "IntDistribution"},
                   {"attributes", {{"log", false}, {"step", 1}, {"low", each.min}, {"high", each.max}}}});
    }
    OptunaParameter operator()(const QUniform&) const { return seen(false); }
    OptunaParameter operator()(const QLogUniformValues&) const { return seen(true); }
    OptunaParameter operator()(const Normal&) const { return seen(false); }
    OptunaParameter operator()(const QNormal&) const { return seen(false); }
    OptunaParameter operator()(const LogNormal&) const { return seen(true); }
    OptunaParameter operator()(const QLogNormal&) const { return seen(false); }
    OptunaParameter operator()(const Beta&) const { return as(float_distribution(0, 1, false)); }
    OptunaParameter operator()(const QBeta&) const { return seen(false); }
    OptunaParameter operator()(const Categorical& each) const { return categorical(each.values); }
    OptunaParameter operator()(const Constant& each) const { return categorical({each.value}); }
};

/// Optuna calls a trial without a value failed. Pruned are trials that a rung stopped. The winner of a sweep that met
/// its target was stopped too, but is complete here, because Optuna looks for the best only among complete trials.
State state_of(const Trial& trial, bool has_value) {
    switch (trial.status) {
        case TrialStatus::finished:
            return has_value ? State::complete : State::failed;
        case TrialStatus::stopped:
            return has_value && trial.reason != StopReason::judged ? State::complete : State::pruned;
        case TrialStatus::failed:
            return State::failed;
        case TrialStatus::running:
        case TrialStatus::waiting:
        case TrialStatus::paused:
        case TrialStatus::held:
            break;
    }
    return State::running;
}

/// A trial's attributes. Metrics and derived parameters with the name of another attribute become "metrics.NAME" and
/// "parameters.NAME".
OrderedJson user_attributes(const Trial& trial, const History& history,
                            const std::vector<OptunaParameter>& parameters) {
    const auto& seen = history.of(trial.id);
    const auto& metric = history.sweep().spec().metric;
    std::vector<std::string> taken{"status", "reason", "resource", "workers", "slot_hours", "last_failure"};
    OrderedJson attributes{{"status", to_string(trial.status)}};
    const auto repetition = repetition_json(history.sweep(), trial.id);
    for (const auto& [key, value] : repetition.items()) {
        attributes[key] = value;
        taken.push_back(key);
    }
    ColumnNames names(taken);
    if (trial.reason) {
        attributes["reason"] = stop_reasons.of(*trial.reason);
    }
    attributes["resource"] = trial.resource.value;
    attributes["workers"] = seen.most_workers;
    attributes["slot_hours"] = history.slot_seconds_of(trial.id) / 3600;
    if (!seen.reports.empty()) {
        for (const auto& [name, value] : seen.reports.back().metrics) {
            if (name != metric) {
                attributes[names.take("metrics", name)] = value;
            }
        }
    }
    for (const auto& [name, value] : trial.config) {
        if (std::ranges::find(parameters, name, &OptunaParameter::name) == parameters.end()) {
            attributes[names.take("parameters", name)] = choice(value);
        }
    }
    if (!seen.last_failure.empty()) {
        attributes["last_failure"] = seen.last_failure;
    }
    return attributes;
}

/// {"1": 0.5, "2": NaN}, as Python writes it; our JSON library would write null.
std::string intermediate_values(const TrialHistory& seen, const std::string& metric) {
    std::string text;
    for (const auto& report : seen.reports) {
        if (const auto value = protocol::find_metric(report.metrics, metric)) {
            text += fmt::format("{}\"{}\":{}", text.empty() ? "" : ",", report.resource.value,
                                std::isfinite(*value) ? fmt::format("{}", *value) : "NaN");
        }
    }
    return "{" + text + "}";
}

std::string trial_line(const Trial& trial, const DatedSweep& sweep, const std::vector<OptunaParameter>& parameters) {
    const auto& seen = sweep.history().of(trial.id);
    const auto& metric = sweep.history().sweep().spec().metric;
    const auto value = seen.reports.empty() ? std::nullopt : protocol::find_metric(seen.reports.back().metrics, metric);
    const bool has_value = value && std::isfinite(*value);
    const auto state = state_of(trial, has_value);
    auto line = about_study(create_trial);
    line["datetime_start"] = date_json(sweep.started(trial.id));
    line["state"] = state;
    const bool counts = has_value && (state == State::complete || state == State::pruned);
    line["value"] = counts ? OrderedJson(*value) : OrderedJson();
    line["values"] = nullptr;
    if (const auto ended = sweep.ended(trial.id)) {
        line["datetime_complete"] = date_json(ended);
    }
    auto distributions = OrderedJson::object();
    auto params = OrderedJson::object();
    for (const auto& [name, given] : trial.config) {
        const auto parameter = std::ranges::find(parameters, name, &OptunaParameter::name);
        if (parameter != parameters.end()) {
            distributions[name] = parameter->distribution;
            params[name] = parameter->internal(given);
        }
    }
    line["distributions"] = distributions;
    line["params"] = params;
    line["user_attrs"] = user_attributes(trial, sweep.history(), parameters);
    line["system_attrs"] = OrderedJson::object();
    auto text = one_line(line);
    text.pop_back();
    return text + ",\"intermediate_values\":" + intermediate_values(seen, metric) + "}\n";
}

}  // namespace

Exported optuna_study(const ExportRequest& request) {
    const DatedSweep dated(request.sweep.history);
    const auto& sweep = dated.history().sweep();
    std::vector<OptunaParameter> parameters;
    for (const auto& parameter : sweep.spec().space.parameters()) {
        if (!parameter.is_derived()) {
            parameters.push_back(std::visit(ToOptuna{parameter, sweep}, parameter.distribution));
        }
    }

    auto study = operation(create_study);
    study["study_name"] = request.sweep.file.name;
    study["directions"] = {sweep.spec().goal == Goal::minimize ? 1 : 2};  // optuna.study.StudyDirection
    auto metric = about_study(set_study_system_attr);
    metric["system_attr"] = {{"study:metric_names", {sweep.spec().metric}}};
    auto origin = about_study(set_study_user_attr);
    origin["user_attr"] = {{"crescendo", CRESCENDO_VERSION}};
    auto text = one_line(study) + "\n" + one_line(metric) + "\n" + one_line(origin) + "\n";
    for (const auto& trial : sweep.trials()) {
        text += trial_line(trial, dated, parameters);
    }
    return {{{"study.log", text}}};
}

}  // namespace crescendo::launch
