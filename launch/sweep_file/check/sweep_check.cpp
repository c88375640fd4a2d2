#include "launch/sweep_file/check/sweep_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>
#include <variant>

#include "core/check.hpp"
#include "core/spelling.hpp"
#include "launch/files/read_file.hpp"
#include "launch/sweep_file/check/checks.hpp"
#include "launch/sweep_file/check/command_words.hpp"
#include "launch/sweep_file/command/command_macros.hpp"
#include "launch/sweep_file/search/sweep_rules.hpp"
#include "launch/sweep_file/wandb_script.hpp"

namespace crescendo::launch {
namespace {

/// The words of the command after expansion. A word is empty if it differs between trials, or expands to several words.
std::vector<std::string> fixed_words(const SweepFile& file) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < file.command->size(); ++i) {
        try {
            const auto expanded = expand_word((*file.command)[i], i, {file.program, {}});
            words.push_back(expanded.size() == 1 ? expanded.front() : "");
        } catch (const InvalidInput&) {
            words.emplace_back();  // holds a parameter
        }
    }
    return words;
}

/// Why reports of a program that `conda run` starts do not arrive, or arrive late; empty if nothing stops them.
std::string problem_with_conda(const std::vector<std::string>& words, const std::optional<ReportSource>& source) {
    if (!source && is_run_by_conda(words)) {
        return "`conda run` closes CRESCENDO_FD, through which a program reports; write the path of the environment's "
               "python3 instead, which `conda run -n NAME which python3` prints";
    }
    if (source && source->is_printed() && is_held_back_by_conda(words)) {
        return "`conda run` shows a program's output only when it ends, so no trial stops early; add "
               "--no-capture-output after run";
    }
    return "";
}

/// The key that gives all trials the same `output_dir`: a word of the command, or a constant parameter. Empty if there
/// is none.
std::string key_of_shared_output(const SweepFile& file) {
    if (const auto option = find_shared_output(*file.command)) {
        return fmt::format("command[{}]", *option);
    }
    const auto is_shared = [](const Parameter& parameter) {
        return parameter.name == "output_dir" && !parameter.is_derived() &&
               std::holds_alternative<Constant>(parameter.distribution);
    };
    const bool has_shared = std::ranges::any_of(file.spec.space.parameters(), is_shared);
    return has_shared && !tells_trial(*file.command) ? "parameters.output_dir" : "";
}

void check_sampler(const SweepFile& file, Mistakes& mistakes) {
    constexpr const char* key = "sampler.command";
    const auto& words = file.sampler->words;
    check_programs(words, key, file, mistakes);
    const auto script = find_script(words);
    if (script && !is_there(words[*script])) {
        mistakes.add(fmt::format("{}[{}]", key, *script), no_file(words[*script], key, file));
    }
}

void check_macros(const SweepFile& file, Mistakes& mistakes) {
    for (const auto& [key, problem] : unset_variables(*file.command)) {
        mistakes.add(key, problem);
    }
    const auto words = fixed_words(file);
    check_programs(words, "command", file, mistakes);
    const auto& command = *file.command;
    const auto program = std::ranges::find(command, "${program}");
    const bool is_module = program != command.begin() && program != command.end() && *std::prev(program) == "-m";
    if (program != command.begin() && program != command.end() && !is_module && !is_there(file.program)) {
        mistakes.add("program", no_file(file.program, "program", file));
    }
    const auto script = find_script(words);
    if (script && command[*script] != "${program}" && !is_there(words[*script])) {
        mistakes.add(fmt::format("command[{}]", *script), no_file(words[*script], "command", file));
    }
    if (!mistakes.lie_in("parameters") && !mistakes.lie_in("constraints")) {
        check_macros_of_parameters(file, mistakes);
    }
}

/// Checks the hooks' programs now, because a session may run for days before it needs them.
void check_hooks(const SweepFile& file, Mistakes& mistakes) {
    for (const auto& [key, command] :
         {std::pair("on_finish", &file.hooks.on_finish), std::pair("on_failure", &file.hooks.on_failure)}) {
        if (const auto problem = command->empty() ? "" : no_program(command->front(), key, file); !problem.empty()) {
            mistakes.add(fmt::format("{}[0]", key), problem);
        }
    }
}

/// Checks that trials end: a program that is started for one trial ends by itself, but one that waits for trials trains
/// as long as it is told.
void require_end_of_trials(const SweepFile& file, Mistakes& mistakes) {
    if (file.grow != GrowMode::in_place || file.spec.scheduler.has_max()) {
        return;
    }
    const bool has_rule = file.source.has("early_terminate");
    mistakes.add(has_rule ? "early_terminate.max_iter" : "scheduler",
                 fmt::format("is missing: without it, a program with `grow: in_place` would train forever; add {}",
                             has_rule ? "max_iter: 27 and s: 2" : "scheduler: {type: asha, min: 1, max: 27}"));
}

/// Rejects a maximum that is too large. Sweeps that began with one continue as if it were unlimited.
void check_max(const SweepFile& file, Mistakes& mistakes) {
    const auto max = file.spec.scheduler.max;
    const bool is_given = file.source.has("scheduler.max");  // without a maximum, trials have no limit
    if (max > unlimited_resource || (is_given && max == unlimited_resource)) {
        mistakes.add(is_given ? "scheduler.max" : "early_terminate.max_iter",
                     fmt::format("is {}, but a resource is at most {}; count in a larger unit, such as thousands of "
                                 "samples",
                                 max.value, unlimited_resource.value - 1));
    }
}

bool has_nothing_to_run(const SweepDraft& draft) {
    const auto& [file, mistakes] = draft;
    return !file.trainer && !file.command && !mistakes.lie_in("trainer") && !mistakes.lie_in("command") &&
           !mistakes.lie_in("program");
}

/// Prints a line without throwing: a failed write to standard error, such as on a full disk, must not keep a sweep from
/// starting.
void show(const std::string& line) { std::fprintf(stderr, "crescendo: %s\n", line.c_str()); }

}  // namespace

void check(SweepDraft& draft, const ProgramPaths& paths) {
    auto& [file, mistakes] = draft;
    check_max(file, mistakes);
    check_hooks(file, mistakes);
    if (!mistakes.lie_in("parameters") && !mistakes.lie_in("constraints")) {
        try_rules(file.spec.space, file.spec.seed, file.source, mistakes);
    }
    check_plugins(file, paths.plugin_host, mistakes);
    if (file.sampler && file.sampler->plugin.empty()) {
        check_sampler(file, mistakes);
    }
    if (has_nothing_to_run(draft)) {
        mistakes.add("trainer",
                     "is missing, as are command and program, so there is nothing to train; add one of the three, such "
                     "as `program: train.py`");
    }
    if (file.trainer && !mistakes.lie_in("trainer") && !mistakes.lie_in("parameters") &&
        !mistakes.lie_in("constraints")) {
        check_trainer(file, paths.trainer, mistakes);
    }
    if (file.command && !mistakes.lie_in("command") && !mistakes.lie_in("program")) {
        check_macros(file, mistakes);
        require_end_of_trials(file, mistakes);
        const bool is_there = !mistakes.lie_in("command") && !mistakes.lie_in("program");
        if (file.grow == GrowMode::in_place && is_there && !mistakes.lie_in("parameters") &&
            !mistakes.lie_in("constraints")) {
            ask_trainer(file, expand_shared_command(*file.command, file.program),
                        file.source.has("command") ? "command" : "program", mistakes);
        }
    }
}

std::vector<std::string> warnings_of(const SweepFile& file) {
    if (!file.command) {
        return {};
    }
    std::vector<std::string> warnings;
    const auto words = fixed_words(file);
    if (const auto problem = problem_with_conda(words, file.supervision.report); !problem.empty()) {
        warnings.push_back(file.source.located("command", problem));
    }
    if (const auto key = key_of_shared_output(file); !key.empty()) {
        warnings.push_back(file.source.located(
            key,
            "is the same folder for all trials; a script that finds a checkpoint there, such as one with Hugging "
            "Face's Trainer, would continue from another trial's; in the command, write "
            "--output_dir=${trial_dir}/out"));
    }
    if (file.grow == GrowMode::in_place || runs_wandb_adapter(file)) {
        return warnings;
    }
    auto script = std::ranges::find_if(words, speaks_to_wandb_alone);
    if (script == words.end() && speaks_to_wandb_alone(file_of_module(words))) {
        script = std::ranges::find(words, "-m");
    }
    if (script != words.end() && !file.supervision.report) {
        warnings.push_back(file.source.located(
            fmt::format("command[{}]", script - words.begin()),
            fmt::format("calls wandb, but crescendo does not receive what it passes to wandb.log; write `-m, {},` "
                        "before it, after python3",
                        wandb_adapter)));
    }
    if (const auto launcher = find_launcher(words); launcher && !file.supervision.report) {
        warnings.push_back(file.source.located(
            fmt::format("command[{}]", *launcher),
            fmt::format(
                "{} closes CRESCENDO_FD, through which a program reports, before it starts the script; start the "
                "script with python3, once per worker (docs/your-own-program.md, Several workers), or add `report: "
                "{{pattern: …}}`",
                words[*launcher])));
    }
    const auto depends_on_trial = [&](const std::string& word) {
        const auto has = [&](const char* text) { return word.find(text) != std::string::npos; };
        try {
            return has("${args") || has("CRESCENDO_TRIAL") || expand_word(word, 0, {file.program, {}}).empty();
        } catch (const InvalidInput&) {
            return true;  // holds a parameter
        }
    };
    if (std::ranges::none_of(*file.command, depends_on_trial)) {
        warnings.push_back(file.source.located(
            file.source.has("command") ? "command" : "program",
            fmt::format("has neither ${{args}} nor a parameter, such as ${{{}}}, so all trials get the same arguments; "
                        "add \"${{args}}\", unless the program reads params.json in $CRESCENDO_TRIAL_DIR",
                        file.spec.space.parameters().front().name)));
    } else if (const auto names = parameters_left_out(file); !names.empty()) {
        warnings.push_back(file.source.located(
            "command", fmt::format("has no ${{{}}}, so the program does not receive {}; add it, unless the program "
                                   "reads params.json in $CRESCENDO_TRIAL_DIR",
                                   fmt::join(names, "} and no ${"), enumerate(names, " and "))));
    }
    return warnings;
}

SweepFile read_sound_sweep_file(const std::filesystem::path& path) {
    auto draft = draft_sweep(read_file(path), path);
    check(draft, ProgramPaths::find());
    draft.mistakes.throw_if_any(draft.file.source);
    for (const auto& [key, remark] : draft.file.remarks) {
        show("note: " + draft.file.source.located(key, remark));
    }
    auto warnings = warnings_of(draft.file);
    const auto of_rules = warnings_of_rules(draft.file.spec.space, draft.file.spec.seed, draft.file.source);
    warnings.insert(warnings.end(), of_rules.begin(), of_rules.end());
    for (const auto& warning : warnings) {
        show("warning: " + warning);
    }
    return std::move(draft.file);
}

}  // namespace crescendo::launch
