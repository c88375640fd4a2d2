#include "launch/import/import_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>

#include "core/check.hpp"
#include "launch/import/python_literals.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {
namespace {

const OrderedJson* config_of(const OrderedJson& experiment) {
    for (const auto* key : {"config", "param_space"}) {
        if (experiment.is_object() && experiment.contains(key) && experiment.at(key).is_object()) {
            return &experiment.at(key);
        }
    }
    return nullptr;
}

/// A call such as "tune.uniform(0.1, 0.9)", which Ray's files have instead of Python's function.
struct Call {
    std::string name;
    OrderedJson arguments;
};

std::optional<Call> call_of(const OrderedJson& value) {
    static const std::set<std::string> names{"uniform",     "quniform",    "loguniform", "qloguniform", "randn",
                                             "qrandn",      "randint",     "qrandint",   "lograndint",  "qlograndint",
                                             "choice",      "sample_from", "grid_search"};
    if (!value.is_string()) {
        return {};
    }
    auto text = value.get<std::string>();
    for (const std::string prefix : {"ray.", "tune."}) {
        text = text.starts_with(prefix) ? text.substr(prefix.size()) : text;
    }
    const auto open = text.find('(');
    if (open == std::string::npos || !names.contains(text.substr(0, open))) {
        return {};
    }
    const bool has_end = text.ends_with(')');  // else YAML took the comma after its first argument for one of a map
    return Call{text.substr(0, open), has_end ? python_literals(text.substr(open + 1, text.size() - open - 2))
                                              : OrderedJson(OrderedJson::value_t::discarded)};
}

bool is_searched(const OrderedJson& value) {
    return call_of(value) || (value.is_object() && std::any_of(value.begin(), value.end(), is_searched));
}

struct Experiment {
    const OrderedJson& settings;
    const OrderedJson& config;
    std::string name = {};  ///< the key of the experiment, if it has one
};

/// Finds the experiment in a file. A search space alone is an experiment without settings.
std::optional<Experiment> experiment_of(const OrderedJson& root) {
    if (const auto* config = config_of(root)) {
        return Experiment{root, *config};
    }
    for (const auto& [name, value] : root.items()) {
        if (const auto* config = config_of(value)) {
            return Experiment{value, *config, name};
        }
    }
    static const auto nothing = OrderedJson::object();
    return is_searched(root) ? std::optional(Experiment{nothing, root}) : std::nullopt;
}

/// The smallest multiple of `step` that is at least `number`; `step` is positive. Nothing if it needs more than 64
/// bits.
std::optional<std::int64_t> multiple_from(std::int64_t number, std::int64_t step) {
    const auto rest = number % step;  // has the sign of `number`
    const auto missing = rest > 0 ? step - rest : -rest;
    return number <= std::numeric_limits<std::int64_t>::max() - missing ? std::optional(number + missing)
                                                                        : std::nullopt;
}

ImportedLine sampled(const std::string& name, const Call& call, const std::string& text, const ForeignFile& file) {
    const auto fail = [&] {
        const bool is_list = call.name == "choice" || call.name == "grid_search";
        throw InvalidInput(fmt::format("{}: {}: {} cannot be read; write out its {}, in quotes: \"{}\"", file.path,
                                       name, text, is_list ? "values" : "numbers",
                                       is_list ? "tune.choice([16, 32, 64])" : "tune.uniform(0.1, 0.9)"));
    };
    const auto number = [&](std::size_t i) {
        if (!call.arguments.is_array() || i >= call.arguments.size() || !call.arguments[i].is_number()) {
            fail();
        }
        return call.arguments[i].get<double>();
    };
    const auto whole = [&](std::size_t i) {
        const double value = number(i);
        if (!(std::fabs(value) < 0x1p63)) {
            fail();
        }
        const auto& argument = call.arguments[i];
        return argument.is_number_integer() ? argument.get<std::int64_t>() : static_cast<std::int64_t>(value);
    };
    if (call.name == "choice" || call.name == "grid_search") {
        if (!call.arguments.is_array() || call.arguments.empty() || !call.arguments[0].is_array()) {
            fail();
        }
        return {name, choice(call.arguments[0])};
    }
    if (call.name == "uniform") {
        return {name, uniform(number(0), number(1))};
    }
    if (call.name == "loguniform") {
        return {name, log_uniform(number(0), number(1))};
    }
    if (call.name == "quniform" || call.name == "qloguniform") {
        OrderedJson entry = call.name == "quniform" ? uniform(number(0), number(1)) : log_uniform(number(0), number(1));
        entry["distribution"] = "q_" + entry.at("distribution").get<std::string>();
        entry["q"] = number(2);
        return {name, entry};
    }
    if (call.name == "randn") {
        const auto size = call.arguments.size();
        return {name,
                {{"distribution", "normal"}, {"mu", size > 0 ? number(0) : 0}, {"sigma", size > 1 ? number(1) : 1}}};
    }
    if (call.name == "qrandn") {
        return {name, {{"distribution", "q_normal"}, {"mu", number(0)}, {"sigma", number(1)}, {"q", number(2)}}};
    }
    if (call.name == "randint") {
        return whole_numbers(name, whole(0), whole(1) - 1);  // Ray excludes the upper end
    }
    if (call.name == "qrandint") {
        const auto min = multiple_from(whole(0), std::max<std::int64_t>(whole(2), 1));
        if (whole(2) < 1 || !min || *min > whole(1)) {
            fail();
        }
        return whole_numbers(name, *min, whole(1), whole(2));
    }
    if (call.name == "lograndint" || call.name == "qlograndint") {
        const bool is_open = call.name == "lograndint";
        return {name,
                {{"distribution", "q_log_uniform_values"},
                 {"min", number(0)},
                 {"max", number(1) - (is_open ? 1 : 0)},
                 {"q", is_open ? 1 : number(2)}}};
    }
    return {name, constant(text), "is computed in Python; write values, or an expression of other parameters"};
}

/// How a file searches its parameters.
struct Searched {
    int num_random = 0;             ///< parameters that are drawn at random
    int num_grids = 0;              ///< parameters of which each value is tried
    std::uint64_t grid_points = 1;  ///< number of their combinations; 0 if there are too many to count
};

ImportedLine grid(const std::string& name, const OrderedJson& values, Searched& searched) {
    ++searched.num_grids;
    const bool is_countable = searched.grid_points < (std::uint64_t{1} << 31) && values.size() < (std::size_t{1} << 31);
    searched.grid_points = is_countable ? searched.grid_points * values.size() : 0;
    return {name, choice(values)};
}

/// Reads a parameter, or a map of them.
ImportedLine parameter(const std::string& name, const OrderedJson& value, const ForeignFile& file, Searched& searched) {
    if (value.is_object() && value.size() == 1 && value.contains("grid_search") &&
        value.at("grid_search").is_array()) {
        return grid(name, value.at("grid_search"), searched);
    }
    if (value.is_object() && !value.empty()) {
        ImportedLine group{name, nullptr};
        for (const auto& [inner_name, each] : value.items()) {
            group.parameters.push_back(parameter(inner_name, each, file, searched));
        }
        return group;
    }
    if (const auto call = call_of(value)) {
        auto line = sampled(name, *call, value.get<std::string>(), file);
        if (call->name == "grid_search") {
            return grid(name, line.value.at("values"), searched);
        }
        ++searched.num_random;
        return line;
    }
    auto line = ImportedLine{name, constant(value)};
    if (const auto text = value.is_string() ? value.get<std::string>() : ""; text.starts_with("tune.")) {
        line.comment = fmt::format("unknown function: {} is kept as text", text);
    }
    return line;
}

/// A setting of the experiment, or of a section that `Tuner` takes.
OrderedJson setting(const OrderedJson& experiment, const std::string& key) {
    for (const auto* section : {"tune_config", "run_config"}) {
        const auto settings = experiment.value(section, OrderedJson());
        if (settings.is_object() && settings.contains(key)) {
            return settings.at(key);
        }
    }
    return experiment.value(key, OrderedJson());
}

/// A setting of the metric, which Ray also takes from its scheduler.
OrderedJson metric_setting(const OrderedJson& experiment, const std::string& key) {
    auto own = setting(experiment, key);
    const auto scheduler = setting(experiment, "scheduler");
    return own.is_null() && scheduler.is_object() ? scheduler.value(key, OrderedJson()) : own;
}

/// The number of trials in Ray: `num_samples`, which is 1 if it is missing, for each point of the grid. None if Ray
/// runs until it is stopped, or if there are too many trials to count.
std::optional<std::uint64_t> num_trials(const OrderedJson& num_samples, const Searched& searched) {
    const bool has_grid = searched.num_grids > 0;
    const auto samples = num_samples.is_null() && has_grid ? OrderedJson(1) : num_samples;
    constexpr std::int64_t most = std::int64_t{1} << 31;
    if (!samples.is_number_integer() || samples <= 0 || samples >= most || searched.grid_points == 0) {
        return {};
    }
    return samples.get<std::uint64_t>() * searched.grid_points;
}

/// The name of a Ray scheduler: an object without a type is taken for ASHA.
std::string kind_of(const OrderedJson& scheduler) {
    const auto kind = scheduler.is_object() ? scheduler.value("type", OrderedJson("asha")) : scheduler;
    return kind.is_string() ? kind.get<std::string>() : "";
}

bool is_asha(const OrderedJson& scheduler) {
    static const std::set<std::string> names{"asha", "async_hyperband", "ASHAScheduler", "AsyncHyperBandScheduler",
                                             "asynchyperband"};
    return scheduler.is_object() && names.contains(kind_of(scheduler));
}

/// Whether the scheduler lets all trials train to their end.
bool is_fifo(const OrderedJson& scheduler) {
    static const std::set<std::string> names{"fifo", "FIFO", "FIFOScheduler", "FIFOScheduler()"};
    return names.contains(kind_of(scheduler));
}

/// The rule that ends trials, if we have the same one.
std::optional<ImportedLine> schedule(const OrderedJson& experiment, std::vector<std::string>& notes) {
    const auto stop = setting(experiment, "stop");
    const auto scheduler = setting(experiment, "scheduler");
    const auto whole = [](const OrderedJson& map, const char* key) -> std::optional<std::int64_t> {
        return map.is_object() && map.contains(key) && map.at(key).is_number() ? whole_number(map.at(key))
                                                                               : std::nullopt;
    };
    const bool counts_iterations =
        !scheduler.is_object() ||
        scheduler.value("time_attr", OrderedJson("training_iteration")) == "training_iteration";
    const auto max_t = counts_iterations ? whole(scheduler, "max_t") : std::nullopt;
    const auto end = whole(stop, "training_iteration");
    const auto max = max_t && end ? std::min(max_t, end) : max_t ? max_t : end;
    const bool ends_by_stop = max != max_t;
    for (const auto& [key, value] : stop.items()) {
        if (key != "training_iteration") {
            notes.push_back(fmt::format(
                "stop: {}: {} is left out; {}", key, flow(value),
                key == "time_total_s"
                    ? fmt::format("write trial_time: {}s", flow(value))
                    : "use trial: {target: …} to end a trial at a value of the metric, or scheduler: {type: fifo, "
                      "max: END} to end it at an amount of resource"));
        }
    }
    const bool is_read = is_asha(scheduler) && max && counts_iterations;
    if (!scheduler.is_null() && !is_read && !is_fifo(scheduler)) {
        notes.push_back(
            fmt::format("scheduler: {} is not carried over; to stop trials early, write scheduler: "
                        "{{type: asha, min: 1, max: END}}",
                        flow(scheduler)));
    }
    if (is_read) {
        return ImportedLine{"scheduler",
                            {{"type", "asha"},
                             {"min", std::min(whole(scheduler, "grace_period").value_or(1), *max)},
                             {"max", *max},
                             {"reduction_factor", whole(scheduler, "reduction_factor").value_or(4)},
                             {"rule", "percentile"}},
                            fmt::format("scheduler: {}{}", flow(scheduler),
                                        ends_by_stop ? "; stop: training_iteration ends a trial" : "")};
    }
    if (max) {
        const auto* source = ends_by_stop ? "stop: training_iteration" : "scheduler: max_t";
        return ImportedLine{"scheduler", {{"type", "fifo"}, {"max", *max}}, source};
    }
    return {};
}

/// Adds the number of trials, and whether they are a grid.
void count_trials(const OrderedJson& samples, const Searched& searched, ImportedSweep& result) {
    if (searched.num_grids > 0 && searched.num_random == 0) {
        result.head.push_back({"method", "grid"});
        if (samples.is_number() && samples > 1) {
            result.notes.push_back(
                fmt::format("num_samples: {} runs each grid point that many times; here each runs "
                            "once; to repeat them, add a parameter seed: {{values: […]}}",
                            flow(samples)));
        }
        return;
    }
    const auto trials = num_trials(samples, searched);
    if (searched.num_grids > 0) {
        result.notes.push_back(fmt::format("grid_search lists are sampled at random, because other parameters are{}",
                                           trials ? "; run_cap is the number of trials that Ray would run" : ""));
    }
    if (trials) {
        result.head.push_back({"run_cap", *trials});
    }
}

/// The keys that the sweep file has no word for.
std::vector<std::string> lost_keys(const OrderedJson& experiment) {
    static const std::set<std::string> written{"config", "param_space", "tune_config", "run_config", "metric", "mode",
                                               "run",    "num_samples", "stop",        "scheduler",  "env",    "name"};
    std::vector<std::string> lost;
    const auto look_in = [&](const OrderedJson& map, const std::string& prefix) {
        for (const auto& [key, value] : map.items()) {
            if (!written.contains(key)) {
                lost.push_back(prefix + key);
            }
        }
    };
    look_in(experiment, "");
    for (const std::string section : {"tune_config", "run_config"}) {
        if (const auto settings = experiment.value(section, OrderedJson()); settings.is_object()) {
            look_in(settings, section + ".");
        }
    }
    return lost;
}

}  // namespace

bool is_ray(const OrderedJson& root) { return experiment_of(root).has_value(); }

ImportedSweep import_ray(const OrderedJson& root, const ForeignFile& file) {
    const auto found = experiment_of(root);
    const auto& [experiment, config, key] = *found;
    ImportedSweep result{.origin = "a Ray Tune experiment"};
    if (const auto name = setting(experiment, "name"); name.is_string() || !key.empty()) {
        result.head.push_back(name_line(name.is_string() ? name.get<std::string>() : key));
    }
    for (const auto& [other, value] : root.items()) {
        if (!key.empty() && other != key && config_of(value) != nullptr) {
            result.notes.push_back(fmt::format("the experiment {} is left out; put it in a file of its own", other));
        }
    }
    const auto metric = metric_setting(experiment, "metric");
    const auto mode = metric_setting(experiment, "mode");
    result.head.push_back(
        {"metric",
         {{"name", metric.is_string() ? metric : OrderedJson("loss")},
          {"goal", mode == "max" ? "maximize" : "minimize"}},
         metric.is_string() ? "" : "the file does not name it; write the name that your program reports"});
    Searched searched;
    if (experiment.contains("env") && !config.contains("env")) {  // RLlib's files have it outside of config
        result.parameters.push_back(parameter("env", experiment.at("env"), file, searched));
    }
    for (const auto& [parameter_name, value] : config.items()) {
        result.parameters.push_back(parameter(parameter_name, value, file, searched));
    }
    count_trials(setting(experiment, "num_samples"), searched, result);
    if (auto scheduler = schedule(experiment, result.notes)) {
        result.tail.push_back(std::move(*scheduler));
    }
    result.notes.push_back(
        (experiment.contains("run") ? fmt::format("run: {} is a Ray class; ", flow(experiment.at("run"))) : "") +
        add_program);
    note_lost(lost_keys(experiment), result);
    return result;
}

}  // namespace crescendo::launch
