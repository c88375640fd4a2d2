#include "launch/sweep_file/sections/hooks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace crescendo::launch {
namespace {

/// Whether a shell or another interpreter gets its program as an argument: [sh, -c, 'mail … "$CRESCENDO_SWEEP"'].
bool has_inline_program(const std::vector<std::string>& command) {
    return std::ranges::any_of(command, [](const std::string& word) {
        return word.size() > 1 && word[0] == '-' && word[1] != '-' && word.ends_with('c');
    });
}

std::vector<std::string> read_hook(const YamlSection& file, const std::string& name) {
    const auto command = file.strings(name, "[sh, -c, 'echo $CRESCENDO_OUTCOME']", ListOf::words);
    if (!command || file.mistakes().lie_in(name)) {
        return {};
    }
    if (command->empty() || command->front().empty()) {
        file.fail(name, fmt::format("names no program; write the program and its arguments: {}: [mail, -s, done, "
                                    "me@example.org]",
                                    name));
    }
    for (std::size_t i = 0; i < command->size() && !has_inline_program(*command); ++i) {
        const auto& word = (*command)[i];
        if (word.find("$CRESCENDO_") != std::string::npos || word.find("${CRESCENDO_") != std::string::npos) {
            file.fail(fmt::format("{}[{}]", name, i),
                      fmt::format("is '{}', but no shell reads it, so the variable is not expanded; write {}: [sh, -c, "
                                  "'mail -s \"$CRESCENDO_SWEEP\" me@example.org']",
                                  word, name));
        }
    }
    return *command;
}

}  // namespace

Hooks read_hooks(const YamlSection& file) {
    Hooks hooks;
    file.attempt([&] { hooks.on_finish = read_hook(file, "on_finish"); });
    file.attempt([&] { hooks.on_failure = read_hook(file, "on_failure"); });
    return hooks;
}

}  // namespace crescendo::launch
