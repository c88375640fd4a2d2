#include "launch/sweep_file/sweep_file.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/check.hpp"
#include "core/duration.hpp"
#include "launch/sweep_file/command_macros.hpp"
#include "launch/sweep_file/duration.hpp"
#include "launch/sweep_file/sweep_parameters.hpp"
#include "launch/sweep_file/sweep_scheduler.hpp"
#include "launch/sweep_file/sweep_simulation.hpp"
#include "launch/sweep_file/yaml_document.hpp"
#include "launch/sweep_file/yaml_section.hpp"
#include "launch/system/read_file.hpp"

namespace crescendo::launch {
namespace {

void check_keys(const YamlSection& file) {
    if (file.has("early_terminate")) {
        file.fail("early_terminate",
                  "early stopping is the scheduler's business here; remove it and write scheduler: "
                  "{type: asha, min: 1, max: 27, reduction_factor: 3}");
    }
    file.allow({"name",         "description", "project", "entity",  "metric",        "method",  "sampler",
                "parameters",   "run_cap",     "seed",    "slots",   "cpus_per_slot", "bind",    "max_retries",
                "hang_timeout", "scheduler",   "budget",  "trainer", "program",       "command", "simulate"});
}

std::string read_name(const YamlSection& file, const std::filesystem::path& path) {
    auto name = file.string("name").value_or(path.stem().string());
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) {
        file.fail("name",
                  fmt::format("'{}' cannot be the name of the sweep's folder; use letters, digits, '-' and '_'", name));
    }
    return name;
}

/// The section `name`; throws that it is missing, with the reason and an example, where it is not there.
YamlSection required(const YamlSection& file, const std::string& name, std::string_view reason,
                     std::string_view example) {
    if (!file.has(name)) {
        file.fail(name, fmt::format("is missing: {}; add {}: {}", reason, name, example));
    }
    return file.section(name, example).value();
}

void read_metric(const YamlSection& file, SweepSpec& spec) {
    const auto metric = required(file, "metric", "it says which of the reported numbers to optimize",
                                 "{name: val_loss, goal: minimize}");
    if (metric.has("target")) {
        metric.fail("target",
                    "the target is a part of the sweep's budget here; remove it and write budget: {target: 0.93}");
    }
    metric.allow({"name", "goal"});
    if (!metric.has("name")) {
        metric.fail("name", "is missing: it is the name under which trials report the number; add name: val_loss");
    }
    spec.metric = metric.string("name").value();
    spec.goal = metric.choice<Goal>("goal", {{"minimize", Goal::minimize}, {"maximize", Goal::maximize}})
                    .value_or(Goal::minimize);
}

void check_sampler(const YamlSection& file) {
    const std::string random = "configurations are drawn at random; use random";
    const std::vector<UnsupportedWord> unsupported{
        {"grid", random}, {"bayes", random}, {"bayesian", random}, {"tpe", random}, {"custom", random}};
    file.word("method", {"random"}, unsupported);
    if (const auto sampler = file.section("sampler", "{type: random}")) {
        sampler->allow({"type"});
        sampler->word("type", {"random"}, unsupported);
    }
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
        file.word("slots", {"auto"});
        return {};
    }
    return file.integer_from(1, "slots");
}

void read_budget(const YamlSection& file, SweepFile& result) {
    const auto budget = file.section("budget", "{time: 8h}");
    if (!budget) {
        return;
    }
    budget->allow({"time", "target"});
    if (budget->has("time")) {
        const auto& time = budget->at("time");
        result.time_budget = time.is_string() ? parse_duration(time.get<std::string>()) : std::nullopt;
        if (!result.time_budget || result.time_budget->count() == 0) {
            budget->fail("time", fmt::format("{} is no length of time; write it like 8h, 90m, 1h30m, 45s or 08:00:00",
                                             time.dump()));
        }
    }
    result.spec.target = budget->number("target");
    result.spec.has_time_budget = result.time_budget.has_value();
}

/// A program may be silent for hours, and only its author knows; crescendo-trainer is heard of every second.
std::optional<std::chrono::seconds> read_hang_timeout(const YamlSection& file, const SweepFile& sweep) {
    constexpr std::chrono::seconds least{5};
    if (!file.has("hang_timeout")) {
        return sweep.trainer ? std::optional(std::chrono::seconds(300)) : std::nullopt;
    }
    const auto& value = file.at("hang_timeout");
    if (value == "off") {
        return {};
    }
    const auto time = value.is_string() ? parse_duration(value.get<std::string>()) : std::nullopt;
    if (!time || *time < least) {
        file.fail(
            "hang_timeout",
            fmt::format("{} is no time to wait for a worker that says nothing (5s is the least); write it like 5m, "
                        "90s or 1h, or off",
                        value.dump()));
    }
    return time;
}

std::optional<std::vector<std::string>> read_command(const YamlSection& file) {
    if (!file.has("command") && file.has("program")) {
        return std::vector<std::string>{"${env}", "${interpreter}", "${program}", "${args}"};
    }
    auto command = file.strings("command");
    if (command && command->empty()) {
        file.fail("command", "is an empty list; write the program and its arguments: [python3, train.py, \"${args}\"]");
    }
    return command;
}

/// JSON, in which the trainer gets its settings, has no infinity.
void check_finite(const OrderedJson& value, const std::string& key) {
    CRESCENDO_VALIDATE(!value.is_number_float() || std::isfinite(value.get<double>()), key,
                       "is not a finite number, and settings have to be; leave the key out, or use a large number");
    if (value.is_structured()) {
        for (const auto& [name, child] : value.items()) {
            check_finite(child, value.is_array() ? fmt::format("{}[{}]", key, name) : fmt::format("{}.{}", key, name));
        }
    }
}

void read_trainer_or_command(const YamlSection& file, SweepFile& result) {
    result.program = file.string("program").value_or("");
    result.command = read_command(file);
    if (const auto trainer = file.section("trainer", "{model: cnn, data: {train: fashion.h5:/train}}")) {
        check_finite(trainer->map(), "trainer");
        result.trainer = Json(trainer->map());
    }
    if (result.trainer && result.command) {
        const auto* other = file.has("command") ? "command" : "program";
        file.fail(other, "both trainer and this say what to run; remove one of the two");
    }
}

/// A program of the user's own has no way to change the number of its workers.
void check_command(const YamlSection& file, const SweepFile& result) {
    if (!result.command) {
        return;
    }
    if (result.spec.scheduler.kind == SchedulerKind::rasda) {
        file.fail("scheduler.type",
                  "rasda grows the trials that survive, and a trial with a command has one worker for "
                  "good; use type: asha");
    }
    if (result.spec.scheduler.workers > 1) {
        file.fail("scheduler.workers", fmt::format("is {}, and a trial with a command has one worker; remove it",
                                                   result.spec.scheduler.workers));
    }
    Config any_values;
    for (const auto& parameter : result.spec.space.parameters()) {
        any_values.emplace_back(parameter.name, Value{});
    }
    expand_command(*result.command, result.program, any_values);
}

void read_spec(const YamlSection& file, SweepSpec& spec) {
    read_metric(file, spec);
    check_sampler(file);
    const auto parameters = required(file, "parameters", "it says what to search", "{lr: {min: 0.001, max: 0.1}}");
    spec.space = SearchSpace(read_parameters(parameters));
    if (spec.space.parameters().empty()) {
        file.fail("parameters",
                  "is empty, and there is nothing to search; add a parameter, such as lr: {min: 0.001, max: 0.1}");
    }
    spec.run_cap = file.small_integer("run_cap");
    spec.seed = read_seed(file);
    spec.max_retries = file.small_integer("max_retries").value_or(spec.max_retries);
    spec.scheduler =
        read_scheduler(required(file, "scheduler", "it says how long a trial trains and which ones are stopped",
                                "{type: asha, min: 1, max: 27, reduction_factor: 3}"));
}

/// Everything in the file's order of importance, so that the first error is the one to mend first.
void read_all(const YamlSection& file, const std::filesystem::path& path, SweepFile& result) {
    check_keys(file);
    result.name = read_name(file, path);
    read_spec(file, result.spec);
    result.slots = read_slots(file);
    result.cpus_per_slot = file.integer_from(1, "cpus_per_slot").value_or(1);
    result.bind =
        file.choice<Binding>("bind", {{"auto", Binding::automatic}, {"on", Binding::on}, {"off", Binding::off}})
            .value_or(Binding::automatic);
    read_budget(file, result);
    if (const auto simulate = file.section("simulate", "{epoch: 60, loss_per_doubling: 0.05}")) {
        result.simulation = read_simulation(*simulate);
    }
    validate(result.spec);
    read_trainer_or_command(file, result);
    result.hang_timeout = read_hang_timeout(file, result);
    check_command(file, result);
}

}  // namespace

SweepFile parse_sweep(const std::string& text, const std::filesystem::path& path,
                      const std::vector<Override>& overrides) {
    auto document = parse_yaml(text, path.string());
    SweepFile result;
    result.text = text;
    result.source = std::move(document.source);
    try {
        for (const auto& each : overrides) {
            apply_override(each, document.root);
        }
        read_all(YamlSection(document.root, ""), path, result);
    } catch (const InvalidInput& error) {
        throw InvalidInput(result.source.located(error.key(), error.what()), error.key());
    }
    return result;
}

SweepFile read_sweep_file(const std::filesystem::path& path, const std::vector<Override>& overrides) {
    return parse_sweep(read_file(path), path, overrides);
}

}  // namespace crescendo::launch
