#include "launch/sweep_file/sweep_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/duration.hpp"
#include "launch/messages/likely_metric.hpp"
#include "launch/messages/report_pattern.hpp"
#include "launch/sweep_file/command_macros.hpp"
#include "launch/sweep_file/nested_config.hpp"
#include "launch/sweep_file/sampler_choice.hpp"
#include "launch/sweep_file/sweep_defaults.hpp"
#include "launch/sweep_file/sweep_initial.hpp"
#include "launch/sweep_file/sweep_keys.hpp"
#include "launch/sweep_file/sweep_parameters.hpp"
#include "launch/sweep_file/sweep_rules.hpp"
#include "launch/sweep_file/sweep_simulation.hpp"
#include "launch/system/read_file.hpp"
#include "launch/yaml/yaml_document.hpp"
#include "launch/sweep_file/repeating.hpp"
#include "launch/yaml/yaml_section.hpp"
#include "scheduler/samplers/any_sampler.hpp"

namespace crescendo::launch {
namespace {

constexpr Words bindings{{std::pair{Binding::automatic, "auto"}, {Binding::on, "on"}, {Binding::off, "off"}}};
constexpr Words growths{
    {std::pair{Growth::none, "none"}, {Growth::restart, "restart"}, {Growth::in_place, "in_place"}}};
constexpr Words on_or_off{{std::pair{true, "on"}, {false, "off"}}};

std::string read_name(const YamlSection& file, const std::filesystem::path& path) {
    auto name = file.string("name").value_or(path.stem().string());
    // A name with a dash in front would be taken for an option by every command that is given it.
    if (name.empty() || name == "." || name == ".." || name.starts_with('-') || name.find('/') != std::string::npos) {
        file.fail(
            "name",
            fmt::format("'{}' cannot be the name of the sweep's folder; use letters, digits, '_' and, within it, '-'",
                        name));
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

/// A sweep with the wrong goal trains as well as any other, and finds the worst configuration.
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
                {"metric.target", "ends the sweep, and the trials that run; budget: {target: …} means the same"});
        }
    });
    file.attempt([&] {
        if (!metric->has("name")) {
            metric->fail("name", "is missing: it is the name under which trials report the number; add name: val_loss");
        }
        spec.metric = metric->string("name").value();
    });
    file.attempt([&] { spec.goal = metric->choice("goal", goals).value_or(Goal::minimize); });
    remark_on_goal(*metric, result);
}

/// Where the file names no metric: what the sweep optimizes then, or who decides that.
void complete_metric(const YamlSection& file, SweepFile& result) {
    auto& spec = result.spec;
    if (file.has("metric") || file.mistakes().lie_in("metric") || file.mistakes().concern("report")) {
        return;
    }
    if (result.trainer) {
        spec.metric = "val_loss";  // crescendo-trainer reports it if it has validation samples
    } else if (result.supervision.report) {
        spec.metric = result.supervision.report->metric;
    } else if (result.sampler) {
        file.fail("metric", "is missing: the program of sampler.command is told what to optimize before the first "
                            "report; add metric: {name: val_loss, goal: minimize}");
    } else if (!result.warm_start.empty()) {
        file.fail("metric", "is missing: it says which number of the earlier results counts; add metric: {name: "
                            "val_loss, goal: minimize}");
    }
    spec.goal = likely_goal(spec.metric);
    result.remarks.push_back(
        {"metric", fmt::format("is missing: {}; to choose another, add metric: {{name: val_loss, goal: minimize}}",
                               spec.metric.empty() ? "the first report decides which of its numbers is optimized"
                                                   : fmt::format("{} is {}d", spec.metric, goals.of(spec.goal)))});
}

/// The type of a sampler that is none of ours; empty if it is one of them.
std::string class_of_plugin(const YamlSection& sampler) {
    auto type = sampler.string("type").value_or("");
    const auto& names = sampler_words();
    return std::ranges::find(names, type) == names.end() ? type : "";
}

void read_sampler_section(const YamlSection& sampler, const std::vector<UnsupportedWord>& unsupported,
                          SweepFile& result) {
    auto& type = result.spec.sampler;
    sampler.allow({"type", "command", "options", "ahead", "deadline"});
    const auto plugin = sampler.has("command") || result.plugins.empty() ? "" : class_of_plugin(sampler);
    if (!plugin.empty()) {
        result.sampler = read_sampler_command(sampler, plugin);
        type = "program";
        return;
    }
    if (!sampler.has("command")) {
        type = sampler.word("type", sampler_words(), unsupported).value_or(type);
        for (const char* key : {"options", "ahead", "deadline"}) {
            if (sampler.has(key)) {
                sampler.fail(key, "is a key for a sampler of your own, and this one is Crescendo's; remove it, or name "
                                  "a program: command: [python3, mine.py]");
            }
        }
        return;
    }
    if (sampler.word("type", sampler_words(), unsupported).value_or("program") != "program") {
        sampler.fail("type", "says which of Crescendo's samplers proposes configurations, and `command:` says that a "
                             "program does; remove one of the two");
    }
    result.sampler = read_sampler_command(sampler);
    type = "program";
}

void read_sampler(const YamlSection& file, SweepFile& result) {
    auto& spec = result.spec;
    const std::string random = "configurations are drawn at random; use random";
    const std::vector<UnsupportedWord> unsupported{{"custom", random}};
    file.attempt([&] {
        auto words = sampler_words();
        words.emplace_back("bayes");
        spec.sampler = file.word("method", words, unsupported).value_or(spec.sampler);
    });
    const auto method = spec.sampler;
    file.attempt([&] {
        if (const auto sampler = file.section("sampler", "{type: random}")) {
            read_sampler_section(*sampler, unsupported, result);
            if (file.has("method") && spec.sampler != method) {
                result.remarks.push_back(
                    {"method", fmt::format("is {}, and sampler: says {}, which counts; remove one of the two", method,
                                           spec.sampler == "program" ? "a sampler of your own" : spec.sampler)});
            }
        }
    });
    file.attempt([&] {
        if (spec.sampler == "program" && !result.sampler && !file.mistakes().lie_in("sampler")) {
            file.fail(file.has("sampler") ? "sampler.type" : "method",
                      "is program, and no program is named; write sampler: {command: [python3, mine.py]}");
        }
    });
}

/// Names the sampler, where the file leaves it open.
void settle_sampler(const YamlSection& file, SweepFile& result) {
    auto& spec = result.spec;
    const auto word = spec.sampler;
    const bool is_type = file.has("sampler") && file.at("sampler").contains("type");
    const auto* key = is_type ? "sampler.type" : "method";
    if (leaves_sampler_open(word)) {
        auto [sampler, reason] = choose_sampler(word, spec, file.has("warm_start"));
        result.remarks.push_back({key, fmt::format("is {}, which means {} for a sweep {}; to keep it, write {}", word,
                                                   sampler, reason, sampler)});
        spec.sampler = std::move(sampler);
    } else if (auto doubt = doubt_about(word, spec); !doubt.empty()) {
        result.remarks.push_back({key, std::move(doubt)});
    }
}

/// Sources of earlier results, or only one, for a sampler that learns.
std::vector<std::string> read_warm_start(const YamlSection& file, const std::string& sampler) {
    if (!file.has("warm_start")) {
        return {};
    }
    auto sources = file.at("warm_start").is_string() ? std::vector{file.string("warm_start").value()}
                                                     : file.strings("warm_start", "[results/first]").value();
    if (sources.empty()) {
        file.fail("warm_start", "is an empty list; name sweeps or CSV files, as in warm_start: [results/first], or "
                                "remove it");
    }
    if (!learns(sampler)) {
        file.fail("warm_start", fmt::format("feeds results to the sampler, and {} learns from none; use method: tpe, "
                                            "or remove it",
                                            sampler == "program" ? "one that is not Crescendo's" : sampler));
    }
    return sources;
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

std::optional<int> read_slots_per_gpu(const YamlSection& file, const std::optional<int>& slots) {
    const auto number = file.integer_from(1, "slots_per_gpu");
    if (number && slots) {
        file.fail("slots_per_gpu",
                  fmt::format("both this and `slots: {}` say how many workers a node with GPUs has; remove one of the "
                              "two",
                              *slots));
    }
    return number;
}

/// The entry `key` of a section: some time, at least a second.
std::optional<std::chrono::seconds> read_time(const YamlSection& section, const char* key = "time") {
    if (!section.has(key)) {
        return {};
    }
    const auto& time = section.at(key);
    const auto duration = time.is_string() ? parse_duration(time.get<std::string>()) : std::nullopt;
    if (!duration || duration->count() == 0) {
        section.fail(key,
                     fmt::format("{} is not a duration; write it like 8h, 90m, 1h30m, 45s or 08:00:00", time.dump()));
    }
    return duration;
}

void read_budget(const YamlSection& file, SweepFile& result) {
    const auto budget = file.section("budget", "{time: 8h}");
    if (!budget) {
        return;
    }
    budget->allow({"time", "target"});
    file.attempt([&] { result.time_budget = read_time(*budget); });
    file.attempt([&] {
        const auto target = budget->number("target");
        if (target && result.spec.target) {
            budget->fail("target", "is given here and as metric.target; remove one of the two");
        }
        result.spec.target = target ? target : result.spec.target;
    });
    result.spec.has_time_budget = result.time_budget.has_value();
}

void read_trial_end(const YamlSection& file, TrialEnd& end) {
    const auto trial = file.section("trial", "{target: 0.93, time: 90s}");
    if (!trial) {
        return;
    }
    trial->allow({"target", "time"});
    file.attempt([&] { end.target = trial->number("target"); });
    file.attempt([&] {
        if (const auto time = read_time(*trial)) {
            end.seconds = std::chrono::duration<double>(*time).count();
        }
    });
}

void read_patience(const YamlSection& file, Patience& patience) {
    const auto section = file.section("patience", "{trials: 30}");
    if (!section) {
        return;
    }
    section->allow({"trials", "resource"});
    file.attempt([&] { patience.trials = section->small_integer("trials"); });
    file.attempt([&] { patience.resource = section->small_integer("resource"); });
}

/// A program may be silent for hours, and only its author knows; a warm trainer is heard of every second.
std::optional<std::chrono::seconds> read_hang_timeout(const YamlSection& file, bool has_warm_trainers) {
    constexpr std::chrono::seconds least{5};
    if (!file.has("hang_timeout")) {
        return has_warm_trainers ? std::optional(std::chrono::seconds(300)) : std::nullopt;
    }
    const auto& value = file.at("hang_timeout");
    if (value == "off" || value == false) {
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

/// The words of `command:`. An item that is left empty, behind a dash of its own, is no word.
std::optional<std::vector<std::string>> read_command(const YamlSection& file, std::vector<Remark>& remarks) {
    if (!file.has("command")) {
        return file.has("program")
                   ? std::optional(std::vector<std::string>{"${env}", "${interpreter}", "${program}", "${args}"})
                   : std::nullopt;
    }
    const auto& list = file.at("command");
    if (!list.is_array()) {
        return file.strings("command", R"([python3, train.py, "--epochs", "3"])");
    }
    std::vector<std::string> words;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto key = fmt::format("command[{}]", i);
        if (list[i].is_string()) {
            words.push_back(list[i].get<std::string>());
        } else if (list[i].is_null()) {
            remarks.push_back({key, "is empty and left out; write \"\" for an empty argument"});
        } else {
            file.mistakes().add(key, fmt::format("{}, and a word of a command is text; put it in quotes",
                                                 describe(list[i])));
        }
    }
    if (words.empty() && !file.mistakes().lie_in("command")) {
        file.fail("command", "is an empty list; write the program and its arguments: [python3, train.py, \"${args}\"]");
    }
    return words;
}

/// How the program of `command:` grows, and whether it has a test: what crescendo-trainer need not be told.
void read_abilities(const YamlSection& file, SweepFile& result) {
    const bool has_program = file.has("command") || file.has("program");
    const auto require_program = [&](const char* key) {
        if (file.has(key) && !has_program) {
            file.fail(key, "is a key for the program of `command:`, and there is none; remove it");
        }
    };
    file.attempt([&] {
        require_program("grow");
        for (const char* of_scheduler : {"eager", "partial", "wait"}) {
            if (file.has("grow") && file.at("grow") == of_scheduler) {
                file.fail("grow", fmt::format("is how a program of `command:` grows; {} is a value of scheduler.grow: "
                                              "write it there",
                                              of_scheduler));
            }
        }
        result.grow = file.choice("grow", growths).value_or(Growth::none);
    });
    file.attempt([&] {
        require_program("final_test");
        result.final_test = file.choice("final_test", on_or_off).value_or(false);
        if (result.final_test && result.grow != Growth::in_place && !file.mistakes().concern("grow")) {
            file.fail("final_test",
                      "is on, and only a program with `grow: in_place` can be asked to test a checkpoint; remove it");
        }
    });
}

/// Where the reports of a program are that does not send them.
ReportSource read_report_source(const YamlSection& report, const std::string& metric) {
    report.allow({"pattern", "file", "counts_from"});
    ReportSource source;
    source.metric = metric;
    source.file = report.string("file").value_or("");
    source.counts_from = report.integer("counts_from").value_or(1);
    if (report.has("pattern") && report.at("pattern").is_string()) {
        source.patterns = {report.at("pattern").get<std::string>()};
    } else {
        source.patterns = report.strings("pattern", R"(['epoch (?P<resource>\d+)', 'loss=(?P<val_loss>[\d.]+)'])")
                              .value_or(source.patterns);
    }
    if (source.patterns.empty() && source.file.empty()) {
        report.fail("pattern",
                    "is missing: it finds the numbers in what the program prints; add pattern: 'epoch "
                    "(?P<resource>\\d+).*loss=(?P<val_loss>[\\d.]+)'");
    }
    if (!source.patterns.empty()) {
        source.metric = ReportPattern(source.patterns, metric, source.counts_from).metric();
    }
    return source;
}

void read_report(const YamlSection& file, SweepFile& result) {
    const auto report = file.section("report", "{pattern: 'epoch (?P<resource>\\d+).*loss=(?P<val_loss>[\\d.]+)'}");
    if (!report) {
        return;
    }
    if (!file.has("command") && !file.has("program")) {
        file.fail("report",
                  "finds the reports of a program, and there is no `command:`; crescendo-trainer has a setting of this "
                  "name, which is written in the section trainer");
    }
    if (result.grow == Growth::in_place) {
        file.fail("report", "finds the reports of a program that does not send them, and with `grow: in_place` it "
                            "does; remove one of the two");
    }
    result.supervision.report = read_report_source(*report, result.spec.metric);
}

/// JSON, in which the trainer gets its settings, has no infinity.
void check_finite(const OrderedJson& value, const std::string& key, Mistakes& mistakes) {
    if (value.is_number_float() && !std::isfinite(value.get<double>())) {
        mistakes.add(key, "is not a finite number, and settings have to be; leave the key out, or use a large number");
    }
    if (value.is_structured()) {
        for (const auto& [name, child] : value.items()) {
            check_finite(child, value.is_array() ? fmt::format("{}[{}]", key, name) : fmt::format("{}.{}", key, name),
                         mistakes);
        }
    }
}

void read_trainer_or_command(const YamlSection& file, SweepFile& result) {
    file.attempt([&] { result.program = file.string("program").value_or(""); });
    file.attempt([&] { result.command = read_command(file, result.remarks); });
    file.attempt([&] {
        if (const auto trainer = file.section("trainer", "{model: cnn, data: {train: fashion.h5:/train}}")) {
            check_finite(trainer->map(), "trainer", file.mistakes());
            result.trainer = Json(trainer->map());
        }
    });
    file.attempt([&] {
        if (file.has("trainer") && (file.has("command") || file.has("program"))) {
            file.fail(file.has("command") ? "command" : "program",
                      "both trainer and this say what to run; remove one of the two");
        }
    });
}

/// Rungs count what the trainer's reports count, so a file that says two things means one of them wrongly. All other
/// settings are the trainer's business.
void check_resource(const YamlSection& file) {
    static const OrderedJson epochs = "epochs";
    const auto entry = [](const OrderedJson& map, const char* name, const OrderedJson& missing) -> const OrderedJson& {
        return map.is_object() && map.contains(name) ? map.at(name) : missing;
    };
    const auto& map = file.map();
    const auto& unit = entry(entry(entry(map, "trainer", epochs), "report", epochs), "unit", epochs);
    const auto& resource = entry(entry(map, "scheduler", unit), "resource", unit);
    if (file.has("trainer") && unit.is_string() && resource != unit &&
        !file.mistakes().concern("scheduler.resource")) {
        file.fail("scheduler.resource",
                  fmt::format("is {0}, but the trainer counts {1}, and min and max are numbers of what it counts; "
                              "write resource: {1}, or trainer: {{report: {{unit: {0}}}}}",
                              resource.get<std::string>(), unit.get<std::string>()));
    }
}

void check_growth(const YamlSection& file, const SweepFile& result) {
    const auto& mistakes = file.mistakes();
    file.attempt([&] {
        if (result.spec.scheduler.kind == SchedulerKind::rasda && result.grow == Growth::none &&
            !mistakes.concern("scheduler.type") && !mistakes.concern("grow") && !mistakes.lie_in("early_terminate")) {
            file.fail("scheduler.type",
                      "rasda grows the trials that survive, and this program keeps its workers; add, outside of "
                      "scheduler, `grow: restart` if it continues from its checkpoint with another WORLD_SIZE, or "
                      "`grow: in_place` (docs/your-own-program.md); else use type: asha");
        }
    });
}

void check_command(const YamlSection& file, const SweepFile& result) {
    if (!result.command || file.has("trainer")) {
        return;
    }
    check_growth(file, result);
    if (file.mistakes().lie_in("parameters")) {
        return;  // a macro may be one that could not be read
    }
    Macros macros{file.has("program") ? "program" : "", {}};
    for (const auto* fact : {"trial", "trial_dir", "seed", "slots"}) {
        macros.trial[fact] = "";
    }
    if (result.spec.scheduler.has_max()) {
        macros.trial["max_resource"] = "";
    }
    macros.variables = [](const char*) { return ""; };  // they matter where trials start
    Config parameters;
    for (const auto& parameter : result.spec.space.parameters()) {
        parameters.emplace_back(parameter.name, Value{});
    }
    macros.config = nested(parameters, result.groups);
    for (std::size_t i = 0; i < result.command->size(); ++i) {
        file.attempt([&] {
            expand_word((*result.command)[i], i, macros);
            if (result.grow == Growth::in_place) {
                expand_shared_word((*result.command)[i], i, macros.program);
            }
        });
    }
}

/// A word of the command cannot name a parameter that some trials lack: what would they get?
void check_absent(const YamlSection& file, const SweepFile& result) {
    const auto& parameters = result.spec.space.parameters();
    for (std::size_t i = 0; result.command && i < result.command->size(); ++i) {
        for (std::size_t j = 0; j < parameters.size(); ++j) {
            const auto macro = fmt::format("${{{}}}", parameters[j].name);
            if (result.spec.space.rules().may_be_absent(j) && (*result.command)[i].find(macro) != std::string::npos) {
                file.mistakes().add(
                    fmt::format("command[{}]", i),
                    fmt::format("{} has no value in some trials, in which the parameter is absent; write ${{args}} or "
                                "${{args_json}}, which leave it out",
                                macro));
            }
        }
    }
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
                      "is empty, and there is nothing to search; add a parameter, such as lr: {min: 0.001, max: 0.1}");
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

/// Whether a problem with `key` may come from a mistake elsewhere in the file.
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

/// `sets_run_cap`: whether somebody has said that there is none, if there is none.
void read_all(const YamlSection& file, const std::filesystem::path& path, bool sets_run_cap, SweepFile& result) {
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
    read_trainer_or_command(file, result);
    file.attempt([&] { check_resource(file); });
    read_abilities(file, result);
    file.attempt([&] { read_report(file, result); });
    file.attempt([&] { complete_metric(file, result); });
    file.attempt([&] { result.keep = read_keep(file, result.trainer.has_value(), result.has_warm_trainers()); });
    if (result.has_warm_trainers()) {
        constexpr double roughly_in_memory = 0.1;  // seconds
        result.spec.scheduler.expected_regroup = roughly_in_memory;
    }
    file.attempt([&] { result.supervision.hang_timeout = read_hang_timeout(file, result.has_warm_trainers()); });
    check_command(file, result);
    check_absent(file, result);
}

}  // namespace

bool SweepFile::has_final_test() const {
    return final_test || (trainer && trainer->contains("data") && trainer->at("data").contains("test"));
}

SweepDraft draft_sweep(const std::string& text, const std::filesystem::path& path,
                       const std::vector<Override>& overrides) {
    SweepDraft draft;
    auto document = parse_yaml(text, path.string(), draft.mistakes, "command");
    draft.file.text = text;
    draft.file.source = std::move(document.source);
    draft.mistakes.attempt([&] {
        for (const auto& each : overrides) {
            apply_override(each, document.root);
        }
    });
    const bool sets_run_cap = std::ranges::any_of(overrides, [](const Override& each) {
        return each.key == "run_cap" && (each.value || each.applies == Override::Applies::always);
    });
    read_all(YamlSection(document.root, "", draft.mistakes), path, sets_run_cap, draft.file);
    return draft;
}

SweepFile parse_sweep(const std::string& text, const std::filesystem::path& path,
                      const std::vector<Override>& overrides) {
    auto draft = draft_sweep(text, path, overrides);
    draft.mistakes.throw_if_any(draft.file.source);
    return std::move(draft.file);
}

SweepFile read_sweep_file(const std::filesystem::path& path, const std::vector<Override>& overrides) {
    return parse_sweep(read_file(path), path, overrides);
}

}  // namespace crescendo::launch
