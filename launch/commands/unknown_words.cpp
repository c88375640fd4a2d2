#include "launch/commands/unknown_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "core/mapped.hpp"
#include "core/shell_words.hpp"
#include "core/spelling.hpp"

namespace crescendo::launch {
namespace {

/// The full name of a command, as it is typed: "crescendo data".
std::string full_name(const CLI::App& command) {
    const auto* parent = command.get_parent();
    return parent == nullptr ? "crescendo" : full_name(*parent) + " " + command.get_name();
}

/// The command that was called, as far as the parser understood it.
const CLI::App& called(const CLI::App& app) {
    const auto commands = app.get_subcommands();
    return commands.empty() ? app : called(*commands.front());
}

}  // namespace

std::vector<std::string> options_of(const CLI::App& command) {
    std::vector<std::string> names;
    for (const auto* option : command.get_options()) {
        for (const auto& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    return names;
}

void require_known_commands(const CLI::App& app, int argc, const char* const* argv) {
    const CLI::App* command = &app;
    for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
        const auto known = command->get_subcommands({});
        if (known.empty()) {
            return;  // arguments of this command
        }
        const auto found =
            std::find_if(known.begin(), known.end(), [&](const CLI::App* each) { return each->get_name() == argv[i]; });
        if (found == known.end()) {
            const std::string word = argv[i];
            CRESCENDO_VALIDATE(command != &app || !(word.ends_with(".yaml") || word.ends_with(".yml")), "",
                               "'{}' is not a command; `crescendo run {}` runs a sweep file", word, shell_quoted(word));
            const auto names = mapped(known, [](const auto* each) { return each->get_name(); });
            throw InvalidInput(fmt::format("'{}' is an unknown command{}; {} has {}", word, did_you_mean(word, names),
                                           full_name(*command), enumerate(names, " and ")));
        }
        command = *found;
    }
}

void require_known_options(const CLI::App& app) {
    for (const auto* command : app.get_subcommands()) {
        require_known_options(*command);
    }
    const auto left_over = app.remaining();
    if (left_over.empty()) {
        return;
    }
    // An unknown option also leaves its value over, so the message names the option.
    const auto option =
        std::find_if(left_over.begin(), left_over.end(), [](const std::string& word) { return word.starts_with("-"); });
    const auto word = option == left_over.end() ? left_over.front() : option->substr(0, option->find('='));
    throw InvalidInput(fmt::format("'{}' is an unknown {}{}; `{} --help` shows the usage", word,
                                   option == left_over.end() ? "argument" : "option",
                                   did_you_mean(word, options_of(app)), full_name(app)));
}

void refuse(const CLI::App& app, const CLI::ParseError& error) {
    throw InvalidInput(fmt::format("{}; `{} --help` shows the usage", error.what(), full_name(called(app))));
}

}  // namespace crescendo::launch
