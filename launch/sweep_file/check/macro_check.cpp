#include "launch/sweep_file/check/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "core/draws.hpp"
#include "launch/sweep_file/check/command_words.hpp"
#include "launch/sweep_file/command/command_macros.hpp"

namespace crescendo::launch {
namespace {

/// Whether some trials have no parameter of the group, judged by conditions and a thousand draws. If conditions exclude
/// each other, each trial may still have one parameter.
bool may_lack(const SweepFile& file, const std::string& group) {
    const auto& space = file.spec.space;
    const auto is_in_group = [&](const std::string& name) { return name.starts_with(group + "."); };
    for (std::size_t i = 0; i < space.parameters().size(); ++i) {
        if (is_in_group(space.parameters()[i].name) && !space.rules().may_be_absent(i)) {
            return false;
        }
    }
    constexpr int num_draws = 1000;
    for (int i = 0; i < num_draws; ++i) {
        auto random = draws(file.spec.seed, Purpose::configuration, TrialId{i});
        const auto config = space.with_values(space.draw_all(random));
        if (config && std::ranges::none_of(*config, is_in_group, &Config::value_type::first)) {
            return true;
        }
    }
    return false;
}

void check_group(const SweepFile& file, const std::string& group, Mistakes& mistakes) {
    const auto macro = fmt::format("${{{}}}", group);
    const auto names_it = [&](const std::string& word) { return word.find(macro) != std::string::npos; };
    if (std::ranges::none_of(*file.command, names_it) || !may_lack(file, group)) {
        return;
    }
    for (std::size_t i = 0; i < file.command->size(); ++i) {
        if (names_it((*file.command)[i])) {
            mistakes.add(fmt::format("command[{}]", i), absent_in_some_trials(macro));
        }
    }
}

bool has_parameter(const SweepFile& file, const std::string& name) {
    const auto& parameters = file.spec.space.parameters();
    return std::ranges::find(file.groups, name) != file.groups.end() ||
           std::ranges::find(parameters, name, &Parameter::name) != parameters.end();
}

/// Whether a word seems to pass the parameter of this name, which is also the name of a macro of W&B: --env=${env},
/// --env ${env}, or ${env} after the script. Elsewhere the macro is probably meant, as in W&B's own [${env},
/// ${interpreter}, …].
bool seems_to_pass(const SweepFile& file, std::size_t i, const std::string& name) {
    const auto& words = *file.command;
    const auto macro = fmt::format("${{{}}}", name);
    if (words[i] != macro) {
        return words[i].find("=" + macro) != std::string::npos;
    }
    const auto script = find_script(words);
    const bool is_argument = script && i > *script && name != "program";  // a launcher script may take it
    return is_argument || (i > 0 && words[i - 1] == "--" + name);
}

void check_name_of_macro(const SweepFile& file, const std::string& name, Mistakes& mistakes) {
    if (!has_parameter(file, name) || (name == "program" && file.program.empty())) {
        return;
    }
    const auto macro = fmt::format("${{{}}}", name);
    for (std::size_t i = 0; i < file.command->size(); ++i) {
        if (seems_to_pass(file, i, name)) {
            mistakes.add(fmt::format("command[{}]", i),
                         fmt::format("{} stands for {}, so it does not pass the parameter {}; write ${{args}}, or "
                                     "rename the parameter",
                                     macro, expand_word(macro, i, {file.program, {}}).front(), name));
        }
    }
}

/// Rejects names with hyphens: `--lr: {…}` becomes ----lr=0.1, which the program refuses in every trial.
void check_hyphens(const SweepFile& file, Mistakes& mistakes) {
    const auto word = std::ranges::find_if(*file.command, puts_hyphens);
    if (word == file.command->end()) {
        return;
    }
    for (const auto& parameter : file.spec.space.parameters()) {
        if (parameter.name.starts_with('-')) {
            mistakes.add("parameters." + parameter.name,
                         fmt::format("{} puts two hyphens before the name, so the program gets --{}; write the name "
                                     "without hyphens",
                                     *word, parameter.name));
        }
    }
}

/// Whether the rule of another parameter uses the name: the parameter may exist only for that.
bool is_for_others(const SweepFile& file, const std::string& name) {
    return std::ranges::any_of(file.spec.space.parameters(), [&](const Parameter& other) {
        return other.when.find(name) != std::string::npos || other.expression.find(name) != std::string::npos;
    });
}

}  // namespace

std::vector<std::string> parameters_left_out(const SweepFile& file) {
    std::vector<std::string> names;
    const auto is_passed = [&](const std::string& name) {
        return std::ranges::any_of(*file.command, [&](const std::string& word) {
            return word.find("${" + name + "}") != std::string::npos ||
                   word.find("${" + name + ".") != std::string::npos || word.find("${args") != std::string::npos ||
                   word.find("CRESCENDO_TRIAL") != std::string::npos;
        });
    };
    for (const auto& parameter : file.spec.space.parameters()) {
        const auto& name = parameter.name;
        const bool is_in_group = std::ranges::any_of(
            file.groups, [&](const std::string& group) { return name.starts_with(group + ".") && is_passed(group); });
        const bool varies = parameter.is_derived() || !std::holds_alternative<Constant>(parameter.distribution);
        if (varies && !is_in_group && !is_passed(name) && !is_for_others(file, name)) {
            names.push_back(name);
        }
    }
    return names;
}

void check_macros_of_parameters(const SweepFile& file, Mistakes& mistakes) {
    for (const auto* name : {"env", "interpreter", "program"}) {
        check_name_of_macro(file, name, mistakes);
    }
    check_hyphens(file, mistakes);
    for (const auto& group : file.groups) {
        if (!is_fixed_macro(group)) {
            check_group(file, group, mistakes);
        }
    }
}

}  // namespace crescendo::launch
