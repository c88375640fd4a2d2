#include "launch/sweep_file/sweep_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "launch/files/read_file.hpp"
#include "launch/messages/likely_metric.hpp"
#include "launch/sweep_file/keys/sweep_keys.hpp"
#include "launch/sweep_file/search/sweep_parameters.hpp"
#include "launch/sweep_file/search/sweep_rules.hpp"
#include "launch/sweep_file/sections/repeating.hpp"
#include "launch/sweep_file/sections/sweep_simulation.hpp"
#include "launch/sweep_file/sweep_command.hpp"
#include "launch/sweep_file/sweep_defaults.hpp"
#include "launch/sweep_file/sweep_initial.hpp"
#include "launch/sweep_file/sweep_limits.hpp"
#include "launch/sweep_file/sweep_sampler.hpp"
#include "launch/sweep_file/wandb_script.hpp"
#include "launch/yaml/yaml_document.hpp"
#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {
namespace {

constexpr Words bindings{{std::pair{Binding::automatic, "auto"}, {Binding::on, "on"}, {Binding::off, "off"}}};

std::string read_name(const YamlSection& file, const std::filesystem::path& path) {
    auto name = file.string("name").value_or(path.stem().string());
    // Every command would take a name that begins with a dash for an option.
    if (name.empty() || name == "." || name == ".." || name.starts_with('-') || name.find('/') != std::string::npos) {
        file.fail("name",
                  fmt::format("'{}' cannot name the sweep's folder; use a name that has no '/' and does not start with "
                              "'-'; --dir chooses another place for the folder",
                              name));
    }
    return name;
}

/// The section `name`. Throws InvalidInput with the reason and an example if it is missing.
YamlSection required(const YamlSection& file, const std::string& name, std::string_view reason,
                     std::string_view example) {
    if (!file.has(name)) {
        file.fail(name, fmt::format("is missing: {}; add {}: {}", reason, name, example));
    }
    return file.section(name, example).value();
}

/// Warns about a goal that does not suit the metric: such a sweep trains like any other, and finds the worst
/// configuration.
void remark_on_goal(const YamlSection& metric, SweepFile& result) {
    const auto& name = result.spec.metric;
    const auto goal = result.spec.goal;
    if (metric.mistakes().lie_in("metric")) {
        return;
    }
    if (!metric.has("goal") && likely_goal(name) != goal) {
        result.remarks.push_back(
            {"metric.goal", fmt::format("is missing, so {} is minimized: the smallest value is the best; if the "
                                        "largest is, add goal: maximize",
                                        name)});
    } else if (metric.has("goal") && is_unlikely(goal, name)) {
        const bool is_minimized = goal == Goal::minimize;
        result.remarks.push_back(
            {"metric.goal", fmt::format("{} is {}d: the {} value is the best; if the {} is, write {}", name,
                                        goals.of(goal), is_minimized ? "smallest" : "largest",
                                        is_minimized ? "largest" : "smallest",
                                        goals.of(is_minimized ? Goal::maximize : Goal::minimize))});
    }
}

void read_metric(const YamlSection& file, SweepFile& result) {
    auto& spec = result.spec;
    const auto metric = file.section("metric", "{name: val_loss, goal: minimize}");
    if (!metric) {
        return;
    }
    metric->allow({"name", "goal", "target", "impute", "impute_while_running"});
    file.attempt([&] {
        spec.target = metric->number("target");
        if (spec.target) {
            result.remarks.push_back(
                {"metric.target", "ends the sweep and its running trials; budget: {target: …} means the same"});
        }
    });
    file.attempt([&] {
        if (!metric->has("name")) {
            metric->fail("name", "is missing: trials report the metric under this name; add name: val_loss");
        }
        spec.metric = metric->string("name").value();
    });
    file.attempt([&] { spec.goal = metric->choice("goal", goals).value_or(Goal::minimize); });
    remark_on_goal(*metric, result);
}

/// If the file names no metric, chooses it or says what decides it.
void complete_metric(const YamlSection& file, SweepFile& result) {
    auto& spec = result.spec;
    if (file.has("metric") || file.mistakes().lie_in("metric") || file.mistakes().concern("report")) {
        return;
    }
    if (result.trainer) {
        spec.metric = "val_loss";  // crescendo-trainer reports it if it has validation samples
    } else if (result.supervision.report) {
        spec.metric = result.supervision.metric;
    } else if (result.sampler) {
        file.fail("metric",
                  "is missing: the sampler needs it before the first report; add metric: {name: val_loss, goal: "
                  "minimize}");
    } else if (runs_wandb_adapter(result)) {
        file.fail("metric",
                  "is missing: it says which of the numbers passed to wandb.log are reports; add metric: {name: "
                  "val_loss, goal: minimize}");
    } else if (!result.warm_start.empty()) {
        file.fail("metric",
                  "is missing: it says which number of the earlier results to use; add metric: {name: val_loss, goal: "
                  "minimize}");
    }
    spec.goal = likely_goal(spec.metric);
    result.remarks.push_back(
        {"metric", fmt::format("is missing: {}; to choose another, add metric: {{name: val_loss, goal: minimize}}",
                               spec.metric.empty() ? "the first report decides which of its numbers is optimized"
                                                   : fmt::format("{} is {}d", spec.metric, goals.of(spec.goal)))});
}

std::uint64_t read_seed(const YamlSection& file) {
    const auto seed = file.integer("seed").value_or(0);
    if (seed < 0) {
        file.fail("seed", fmt::format("is {}; use 0 or a positive whole number", seed));
    }
    return static_cast<std::uint64_t>(seed);
}

std::optional<int> read_slots(const YamlSection& file) {
    if (file.has("slots") && file.at("slots").is_string()) {
        if (file.at("slots") != "auto") {
            file.fail("slots",
                      describe(file.at("slots")) + "; write auto, or a whole number without quotes, such as 4");
        }
        return {};
    }
    return file.integer_from(1, "slots");
}

std::optional<int> read_slots_per_gpu(const YamlSection& file, const std::optional<int>& slots) {
    const auto number = file.integer_from(1, "slots_per_gpu");
    if (number && slots) {
        file.fail("slots_per_gpu",
                  fmt::format("both this and `slots: {}` set the number of workers on a node with GPUs; remove one of "
                              "the two",
                              *slots));
    }
    return number;
}

void read_spec(const YamlSection& file, SweepFile& result) {
    auto& spec = result.spec;
    file.attempt([&] { read_metric(file, result); });
    file.attempt([&] { result.plugins = read_plugins(file); });
    file.attempt([&] { result.stop_rule = read_stop_rule(file); });
    read_sampler(file, result);
    file.attempt([&] {
        const auto parameters = required(file, "parameters", "it says what to search", "{lr: {min: 0.001, max: 0.1}}");
        if (parameters.map().empty()) {
            file.fail("parameters",
                      "is empty, so there is nothing to search; add a parameter, such as lr: {min: 0.001, max: 0.1}");
        }
        auto [all, groups, remarks] = read_parameters(parameters);
        spec.space = make_space(file, std::move(all), result.source);
        result.groups = std::move(groups);
        result.remarks.insert(result.remarks.end(), remarks.begin(), remarks.end());
    });
    file.attempt([&] { spec.run_cap = file.small_integer("run_cap"); });
    file.attempt([&] { spec.seed = read_seed(file); });
    if (!file.mistakes().lie_in("parameters") && !file.mistakes().lie_in("constraints")) {
        file.attempt([&] { spec.initial = read_initial(file, result); });
    }
    file.attempt([&] { spec.max_retries = file.small_integer("max_retries").value_or(spec.max_retries); });
    file.attempt([&] { read_schedule(file, result); });
}

/// Whether a problem with `key` may be a consequence of another mistake in the file.
bool may_follow(const std::string& key, const Mistakes& mistakes) {
    const bool has_no_ladder = mistakes.concern("scheduler.min") || mistakes.concern("scheduler.max") ||
                               mistakes.concern("scheduler.reduction_factor");
    return mistakes.concern(key) || (key == "run_cap" && mistakes.lie_in("budget")) ||
           (key == "scheduler.priority" && mistakes.concern("run_cap")) ||
           (key == "scheduler.brackets" && has_no_ladder);
}

void check_spec(const SweepSpec& spec, Mistakes& mistakes) {
    for (const auto& problem : problems_of(spec)) {
        if (!may_follow(problem.key(), mistakes)) {
            mistakes.add(problem.key(), problem.what());
        }
    }
}

/// `sets_run_cap`: whether an override sets or removes `run_cap`, so that it gets no default.
void read_all(const YamlSection& file, const std::filesystem::path& path, bool sets_run_cap, SweepStage stage,
              SweepFile& result) {
    file.allow(sweep_keys());
    file.attempt([&] { result.name = read_name(file, path); });
    read_spec(file, result);
    file.attempt([&] { result.slots = read_slots(file); });
    file.attempt([&] { result.slots_per_gpu = read_slots_per_gpu(file, result.slots); });
    file.attempt([&] { result.cpus_per_slot = file.integer_from(1, "cpus_per_slot").value_or(1); });
    file.attempt([&] { result.bind = file.choice("bind", bindings).value_or(Binding::automatic); });
    file.attempt([&] { read_budget(file, result); });
    file.attempt([&] {
        if (!sets_run_cap) {
            add_missing_run_cap(file, result);
        }
    });
    file.attempt([&] { settle_sampler(file, result); });
    remark_on_initial(result);
    file.attempt([&] { remark_on_repetitions(file, result); });
    file.attempt([&] { result.warm_start = read_warm_start(file, result.spec.sampler); });
    file.attempt([&] { read_trial_end(file, result.spec.trial_end); });
    file.attempt([&] { result.trial_time = read_time(file, "trial_time"); });
    file.attempt([&] { read_patience(file, result.spec.patience); });
    remark_on_patience(result);
    file.attempt([&] { result.spec.repeat = read_repeat(file); });
    file.attempt([&] { result.price = read_price(file); });
    result.hooks = read_hooks(file);
    file.attempt([&] {
        if (const auto simulate = file.section("simulate", "{epoch: 60, loss_per_doubling: 0.05}")) {
            result.simulation = read_simulation(*simulate);
        }
    });
    file.attempt([&] {
        if (const auto entry = file.section("entry", "{author: Jane Doe, hardware: 1 V100 (EC2)}")) {
            result.entry = read_entry(*entry);
        }
    });
    check_spec(result.spec, file.mistakes());
    read_command(file, stage, result);
    file.attempt([&] { complete_metric(file, result); });
    result.supervision.metric = result.spec.metric;
    file.attempt([&] { result.keep = read_keep(file, result.trainer.has_value(), result.has_warm_trainers()); });
    if (result.has_warm_trainers()) {
        constexpr double roughly_in_memory = 0.1;  // seconds
        result.spec.scheduler.expected_regroup = roughly_in_memory;
    }
    file.attempt([&] { result.supervision.hang_timeout = read_hang_timeout(file, result.has_warm_trainers()); });
    check_command(file, result);
}

/// Throws InvalidInput if the user gave a script instead of a sweep file.
void refuse_program(const std::string& text, const std::filesystem::path& path) {
    if (path.extension() != ".py" && path.extension() != ".sh") {
        return;
    }
    const auto file = path.string();
    const auto from_script =
        text.find("wandb.sweep(") == std::string::npos
            ? ""
            : fmt::format("; `python3 -m {} --sweep-file {} > sweep.yaml` writes it", wandb_adapter, file);
    throw InvalidInput(
        fmt::format("{}: is a program; give a sweep file that names it with `program: {}`{}", file, file, from_script));
}

}  // namespace

bool SweepFile::has_final_test() const {
    return final_test || (trainer && trainer->contains("data") && trainer->at("data").contains("test"));
}

SweepDraft draft_sweep(const std::string& text, const std::filesystem::path& path,
                       const std::vector<Override>& overrides, SweepStage stage) {
    refuse_program(text, path);
    SweepDraft draft;
    auto document = parse_yaml(text, path.string(), draft.mistakes, "command");
    draft.file.text = text;
    draft.file.source = std::move(document.source);
    draft.mistakes.attempt([&] {
        for (const auto& each : overrides) {
            apply_override(each, document.root);
            if (each.value && each.applies == Override::Applies::always) {
                draft.file.source.replace(each.key);
            }
        }
    });
    const bool sets_run_cap = std::ranges::any_of(overrides, [](const Override& each) {
        return each.key == "run_cap" && (each.value || each.applies == Override::Applies::always);
    });
    read_all(YamlSection(document.root, "", draft.mistakes), path, sets_run_cap, stage, draft.file);
    return draft;
}

SweepFile parse_sweep(const std::string& text, const std::filesystem::path& path,
                      const std::vector<Override>& overrides, SweepStage stage) {
    auto draft = draft_sweep(text, path, overrides, stage);
    draft.mistakes.throw_if_any(draft.file.source);
    return std::move(draft.file);
}

SweepFile read_sweep_file(const std::filesystem::path& path, const std::vector<Override>& overrides, SweepStage stage) {
    return parse_sweep(read_file(path), path, overrides, stage);
}

}  // namespace crescendo::launch
