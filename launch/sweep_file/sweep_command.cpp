#include "launch/sweep_file/sweep_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "core/mapped.hpp"
#include "launch/messages/report_pattern.hpp"
#include "launch/sweep_file/command/command_macros.hpp"
#include "launch/sweep_file/command/nested_config.hpp"
#include "launch/sweep_file/wandb_script.hpp"

namespace crescendo::launch {
namespace {

constexpr Words grow_modes{
    {std::pair{GrowMode::none, "none"}, {GrowMode::restart, "restart"}, {GrowMode::in_place, "in_place"}}};
constexpr Words on_or_off{{std::pair{true, "on"}, {false, "off"}}};

/// The command by which W&B runs a `program`, unless the file has a command.
const std::vector<std::string> command_of_wandb{"${env}", "${interpreter}", "${program}", "${args}"};

/// The words of `command:`. An empty item, a dash alone, is not a word.
std::optional<std::vector<std::string>> read_words(const YamlSection& file, std::vector<Remark>& remarks) {
    if (!file.has("command")) {
        return file.has("program") ? std::optional(command_of_wandb) : std::nullopt;
    }
    const auto& list = file.at("command");
    if (!list.is_array()) {
        return file.strings("command",
                            list.is_string() ? R"([bash, -c, '… "$@"', bash, "${args}"], where bash reads the text)"
                                             : R"([python3, train.py, "--epochs", "3"])",
                            ListOf::words);
    }
    std::vector<std::string> words;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto key = fmt::format("command[{}]", i);
        if (list[i].is_string()) {
            words.push_back(list[i].get<std::string>());
        } else if (list[i].is_null()) {
            remarks.push_back({key, "is empty and left out; write \"\" for an empty argument"});
        } else {
            file.mistakes().add(
                key, fmt::format("{}, but a word of a command must be text; put it in quotes", describe(list[i])));
        }
    }
    if (words.empty() && !file.mistakes().lie_in("command")) {
        file.fail("command", "is an empty list; write the program and its arguments: [python3, train.py, \"${args}\"]");
    }
    return words;
}

/// Reads how the program of `command:` grows, and whether it has a test. crescendo-trainer does not need these keys.
void read_abilities(const YamlSection& file, SweepFile& result) {
    const bool has_program = file.has("command") || file.has("program");
    const auto require_program = [&](const char* key) {
        if (file.has(key) && !has_program) {
            file.fail(key, "is a key for the program of `command:`, but there is no program; remove it");
        }
    };
    file.attempt([&] {
        require_program("grow");
        for (const char* of_scheduler : {"eager", "partial", "wait"}) {
            if (file.has("grow") && file.at("grow") == of_scheduler) {
                file.fail("grow", fmt::format("is how a program of `command:` grows; {} is a value of scheduler.grow, "
                                              "so write it there",
                                              of_scheduler));
            }
        }
        result.grow = file.choice("grow", grow_modes).value_or(GrowMode::none);
    });
    file.attempt([&] {
        require_program("final_test");
        result.final_test = file.choice("final_test", on_or_off).value_or(false);
        if (result.final_test && result.grow != GrowMode::in_place && !file.mistakes().concern("grow")) {
            file.fail("final_test",
                      "is on, but only a program with `grow: in_place` can be asked to test a checkpoint; remove it");
        }
    });
}

/// Reads where the reports are of a program that does not send them.
ReportSource read_report_source(const YamlSection& report) {
    report.allow({"pattern", "file", "counts_from"});
    ReportSource source;
    source.file = report.string("file").value_or("");
    source.counts_from = report.integer("counts_from").value_or(1);
    if (source.counts_from != 0 && source.counts_from != 1) {
        report.fail("counts_from",
                    fmt::format("is {}; use 0 if the program calls its first epoch 0, else 1", source.counts_from));
    }
    if (report.has("pattern") && report.at("pattern").is_string()) {
        source.patterns = {report.at("pattern").get<std::string>()};
    } else {
        source.patterns = report.strings("pattern", R"(['epoch (?P<resource>\d+)', 'loss=(?P<val_loss>[^\s,]+)'])")
                              .value_or(source.patterns);
    }
    if (source.patterns.empty() && source.file.empty()) {
        report.fail("pattern",
                    "is missing: it finds the numbers in what the program prints; add pattern: 'epoch "
                    "(?P<resource>\\d+).*loss=(?P<val_loss>[^\\s,]+)'");
    }
    return source;
}

/// Adds a remark if a pattern has a group such as `epoch`, which looks as if it gave the epoch of a report, but becomes
/// a metric.
void remark_on_counting(const std::vector<std::string>& patterns, SweepFile& result) {
    for (const auto* name : {"epoch", "step", "iteration"}) {
        const auto group = fmt::format("(?P<{}>", name);
        if (std::ranges::any_of(patterns, [&](const auto& each) { return each.find(group) != std::string::npos; })) {
            result.remarks.push_back(
                {"report.pattern",
                 fmt::format("has no group 'resource', so reports are counted, and the group '{0}' is a metric; if {0} "
                             "measures a trial's progress, name the group resource",
                             name)});
            return;
        }
    }
}

void read_report(const YamlSection& file, SweepStage stage, SweepFile& result) {
    const auto report = file.section("report", "{pattern: 'epoch (?P<resource>\\d+).*loss=(?P<val_loss>[^\\s,]+)'}");
    if (!report) {
        return;
    }
    if (!file.has("command") && !file.has("program")) {
        file.fail("report",
                  "finds the reports of a program, but there is no `command:`; crescendo-trainer's setting of this "
                  "name belongs in the section trainer");
    }
    if (result.grow == GrowMode::in_place) {
        file.fail("report",
                  "finds the reports of a program that does not send them, but a program with `grow: in_place` does; "
                  "remove one of the two");
    }
    const auto& source = result.supervision.report.emplace(read_report_source(*report));
    if (!source.patterns.empty()) {
        const ReportPattern pattern(source.patterns, result.spec.metric, source.counts_from);
        result.supervision.metric = pattern.metric();
        if (!pattern.has_resource()) {
            remark_on_counting(source.patterns, result);
        }
        if (stage == SweepStage::begins && !source.is_printed() && !pattern.has_resource()) {
            report->fail("pattern",
                         "has no group 'resource', but reports in a file (report.file) cannot be counted, because a "
                         "program that is retried, or rewrites its file, repeats lines; add (?P<resource>\\d+) to "
                         "match the epoch, or remove report.file to find the reports in what the program prints");
        }
    }
}

/// Index of the script in a command of the form that W&B's files have: [${env}, python, ${program}, …]. Nothing for
/// other commands.
std::optional<std::ptrdiff_t> script_of_wandb(const std::vector<std::string>& command) {
    const auto script = std::ranges::find(command, "${program}");
    if (script == command.end() || script - command.begin() < 2 || command[0] != "${env}") {
        return {};
    }
    const auto& before = *std::prev(script);
    const bool is_python =
        before == "${interpreter}" || std::filesystem::path(before).filename().string().starts_with("python");
    return is_python ? std::optional(script - command.begin()) : std::nullopt;
}

/// Makes a command run the adapter if its script calls only W&B, so that its reports reach crescendo. Commands of
/// another form than W&B's are unchanged.
void adapt_to_wandb(const YamlSection& file, SweepFile& result) {
    const auto script = result.command ? script_of_wandb(*result.command) : std::nullopt;
    if (!script || !file.has("program") || file.has("report") || result.grow == GrowMode::in_place ||
        !speaks_to_wandb_alone(result.program)) {
        return;
    }
    auto& words = *result.command;
    words.insert(words.begin() + *script, wandb_adapter);
    words.insert(words.begin() + *script, "-m");
    result.is_adapted_to_wandb = true;
    result.remarks.push_back(
        {file.has("command") ? "command" : "program",
         fmt::format("{}, so `python3 -m {}` runs it: wandb.config has the parameters, and what it passes to wandb.log "
                     "is reported{}",
                     file.has("command") ? fmt::format("starts {}, which calls wandb", result.program) : "calls wandb",
                     wandb_adapter,
                     file.has("command") ? "; to run it directly, write its name instead of ${program}" : "")});
}

/// Adds a mistake for each infinity or NaN: the trainer gets its settings as JSON, which has neither.
void check_finite(const OrderedJson& value, const std::string& key, Mistakes& mistakes) {
    if (value.is_number_float() && !std::isfinite(value.get<double>())) {
        mistakes.add(key, "is not a finite number, but settings must be finite; remove the key, or use a large number");
    }
    if (value.is_structured()) {
        for (const auto& [name, child] : value.items()) {
            check_finite(child, value.is_array() ? fmt::format("{}[{}]", key, name) : fmt::format("{}.{}", key, name),
                         mistakes);
        }
    }
}

/// Rungs count in the unit of the trainer's reports, so if the file names two units, one of them is wrong. The trainer
/// checks all its other settings itself.
void check_resource(const YamlSection& file) {
    static const OrderedJson epochs = "epochs";
    const auto entry = [](const OrderedJson& map, const char* name, const OrderedJson& missing) -> const OrderedJson& {
        return map.is_object() && map.contains(name) ? map.at(name) : missing;
    };
    const auto& map = file.map();
    const auto& unit = entry(entry(entry(map, "trainer", epochs), "report", epochs), "unit", epochs);
    const auto& resource = entry(entry(map, "scheduler", unit), "resource", unit);
    if (file.has("trainer") && unit.is_string() && resource != unit && !file.mistakes().concern("scheduler.resource")) {
        file.fail("scheduler.resource",
                  fmt::format("is {0}, but the trainer counts {1}, and min and max are in its unit; write resource: "
                              "{1}, or trainer: {{report: {{unit: {0}}}}}",
                              resource.get<std::string>(), unit.get<std::string>()));
    }
}

void check_growth(const YamlSection& file, const SweepFile& result) {
    auto& mistakes = file.mistakes();
    if (result.spec.scheduler.kind == SchedulerKind::rasda && result.grow == GrowMode::none &&
        !mistakes.concern("scheduler.type") && !mistakes.concern("grow") && !mistakes.lie_in("early_terminate")) {
        mistakes.add("scheduler.type",
                     "rasda grows surviving trials, but this program keeps its workers; outside scheduler, add `grow: "
                     "restart` if it can continue from its checkpoint with another WORLD_SIZE, or `grow: in_place` "
                     "(docs/your-own-program.md); otherwise use type: asha");
    }
}

/// Checks that every macro of the command can be expanded when a trial starts.
void check_macros(const YamlSection& file, const SweepFile& result) {
    Macros macros{file.has("program") ? "program" : "", {}};
    for (const auto* fact : {"trial", "trial_dir", "seed", "slots"}) {
        macros.trial[fact] = "";
    }
    if (result.spec.scheduler.has_max()) {
        macros.trial["max_resource"] = "";
    }
    macros.variables = [](const char*) { return ""; };  // only matter where trials start
    const auto parameters =
        mapped(result.spec.space.parameters(), [](const Parameter& each) { return std::pair(each.name, Value{}); });
    macros.config = nested(parameters, result.groups);
    for (std::size_t i = 0; i < result.command->size(); ++i) {
        file.attempt([&] {
            expand_word((*result.command)[i], i, macros);
            if (result.grow == GrowMode::in_place) {
                expand_shared_word((*result.command)[i], i, macros.program);
            }
        });
    }
}

/// A word of the command must not name a parameter that some trials lack: there would be no value for it.
void check_absent(const YamlSection& file, const SweepFile& result) {
    const auto& parameters = result.spec.space.parameters();
    for (std::size_t i = 0; i < result.command->size(); ++i) {
        for (std::size_t j = 0; j < parameters.size(); ++j) {
            const auto macro = fmt::format("${{{}}}", parameters[j].name);
            if (result.spec.space.rules().may_be_absent(j) && (*result.command)[i].find(macro) != std::string::npos) {
                file.mistakes().add(fmt::format("command[{}]", i), absent_in_some_trials(macro));
            }
        }
    }
}

}  // namespace

void read_command(const YamlSection& file, SweepStage stage, SweepFile& result) {
    file.attempt([&] { result.program = file.string("program").value_or(""); });
    file.attempt([&] { result.command = read_words(file, result.remarks); });
    file.attempt([&] {
        if (const auto trainer = file.section("trainer", "{model: cnn, data: {train: fashion.h5:/train}}")) {
            check_finite(trainer->map(), "trainer", file.mistakes());
            result.trainer = Json(trainer->map());
        }
    });
    if (file.has("trainer") && (file.has("command") || file.has("program"))) {
        file.mistakes().add(file.has("command") ? "command" : "program",
                            "both trainer and this say what to run; remove one of the two");
    }
    file.attempt([&] { check_resource(file); });
    read_abilities(file, result);
    file.attempt([&] { read_report(file, stage, result); });
    if (stage == SweepStage::begins) {
        adapt_to_wandb(file, result);
    }
}

void check_command(const YamlSection& file, const SweepFile& result) {
    if (!result.command || file.has("trainer")) {
        return;
    }
    check_growth(file, result);
    if (!file.mistakes().lie_in("parameters")) {  // otherwise, a macro may name a parameter that could not be read
        check_macros(file, result);
    }
    check_absent(file, result);
}

}  // namespace crescendo::launch
