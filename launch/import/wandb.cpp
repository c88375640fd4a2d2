#include "launch/import/import_formats.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "launch/display/number_text.hpp"
#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {
namespace {

/// e to a power, with six digits, because exponents in files are rounded too.
double power_of_e(double exponent) { return rounded(std::exp(exponent), 6); }

/// Converts distributions to our names, and keeps those that have the same name.
ImportedLine in_own_words(const std::string& name, OrderedJson entry) {
    const OrderedJson word = entry.value("distribution", "");
    const auto with_values = [&](const char* own, bool inverse) {
        const double min = entry.at("min");
        const double max = entry.at("max");
        entry["distribution"] = own;
        entry["min"] = power_of_e(inverse ? -max : min);
        entry["max"] = power_of_e(inverse ? -min : max);
        return fmt::format("was {} with exponents of e from {} to {}", word.get<std::string>(), min, max);
    };
    std::string comment;
    if (word == "log_uniform") {
        comment = with_values("log_uniform_values", false);
    } else if (word == "q_log_uniform") {
        comment = with_values("q_log_uniform_values", false);
    } else if (word == "inv_log_uniform") {
        comment = with_values("log_uniform_values", true);
    } else if (word == "inv_log_uniform_values") {
        entry["distribution"] = "log_uniform_values";
    } else if (word == "categorical_w_probabilities") {
        entry["distribution"] = "categorical";
    }
    return {name, std::move(entry), std::move(comment)};
}

/// Converts a parameter, with the parameters that it holds.
ImportedLine parameter(const std::string& name, const OrderedJson& entry) {
    if (!entry.contains("parameters")) {
        return in_own_words(name, entry);
    }
    ImportedLine group{.key = name, .value = nullptr, .when = entry.value("when", "")};
    for (const auto& [inner_name, value] : entry.at("parameters").items()) {
        group.parameters.push_back(parameter(inner_name, value));
    }
    return group;
}

OrderedJson metric(const OrderedJson& root, const SweepSpec& spec) {
    OrderedJson metric{{"name", spec.metric}, {"goal", goals.of(spec.goal)}};
    if (root.at("metric").contains("target")) {
        metric["target"] = root.at("metric").at("target");
    }
    return metric;
}

/// The section that decides which trials are stopped.
ImportedLine schedule(const OrderedJson& root, const SchedulerSpec& spec) {
    if (!spec.has_max()) {
        return {"early_terminate", root.at("early_terminate"),
                fmt::format("rungs at {0}, {1}, …; if your program always trains to the same end, write scheduler: "
                            "{{type: asha, min: {0}, max: END, reduction_factor: {2}}}",
                            spec.min.value, spec.min.value * spec.reduction_factor, spec.reduction_factor)};
    }
    return {"scheduler",
            {{"type", "asha"},
             {"min", spec.min.value},
             {"max", spec.max.value},
             {"reduction_factor", spec.reduction_factor}},
            "early_terminate: " + flow(root.at("early_terminate"))};
}

}  // namespace

bool is_wandb(const OrderedJson& root) { return root.contains("parameters") && root.at("parameters").is_object(); }

ImportedSweep import_wandb(const OrderedJson& root, const ForeignFile& file) {
    const auto sweep = parse_sweep(file.text, file.path);
    const auto& spec = sweep.spec;
    ImportedSweep result{.origin = "a W&B sweep file"};
    static const std::set<std::string> meaningless{"description", "project", "entity", "apiVersion", "kind",
                                                   "controller"};
    const std::set<std::string> written{"name", "metric", "method", "run_cap", "parameters", "early_terminate"};
    result.head.push_back({"name", sweep.name});
    if (root.contains("metric")) {
        result.head.push_back({"metric", metric(root, spec)});
    } else {
        result.notes.emplace_back("the first report decides which of its numbers is optimized; to choose, add metric: "
                                  "{name: val_loss, goal: minimize}");
    }
    const auto method = root.value("method", OrderedJson(spec.sampler));
    result.head.push_back({"method", spec.sampler,
                           method == spec.sampler ? "" : fmt::format("was {}", flow(method))});
    if (spec.run_cap) {
        result.head.push_back({"run_cap", *spec.run_cap,
                               root.contains("run_cap") ? ""
                               : spec.sampler == "grid" ? "the number of grid points"
                                                        : "the default here; W&B has none"});
    }
    for (const auto& [name, entry] : root.at("parameters").items()) {
        result.parameters.push_back(parameter(name, entry));
    }
    if (root.contains("early_terminate")) {
        result.tail.push_back(schedule(root, spec.scheduler));
        for (const auto& [key, remark] : sweep.remarks) {
            if (key == "early_terminate" && spec.scheduler.has_max()) {
                result.notes.push_back(fmt::format("{} {}", key, remark));
            }
        }
    } else if (!root.contains("scheduler") && !root.contains("trainer")) {
        result.notes.emplace_back("every trial trains until its program ends; to stop bad ones early, add scheduler: "
                                  "{type: asha, min: 1, max: 27}");
    }
    if (sweep.is_adapted_to_wandb) {
        result.tail.push_back({"command", *sweep.command, "the script calls wandb; what it logs is reported"});
    }
    for (const auto& [key, value] : root.items()) {
        if (meaningless.contains(key)) {
            result.notes.push_back(fmt::format("{}: {} means nothing here and is left out", key, flow(value)));
        } else if (!written.contains(key) && !(sweep.is_adapted_to_wandb && key == "command")) {
            result.tail.push_back({key, value});
        }
    }
    return result;
}

}  // namespace crescendo::launch
