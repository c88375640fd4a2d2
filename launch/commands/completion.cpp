#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "core/mapped.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/unknown_words.hpp"
#include "launch/commands/validators.hpp"

namespace crescendo::launch {
namespace {

enum class Shell { bash, zsh };
constexpr Words shells{{std::pair{Shell::bash, "bash"}, {Shell::zsh, "zsh"}}};

/// The values of an option, "table json csv", if it accepts only some.
std::string words_of(const CLI::Option& option) {
    const auto type = option.get_type_name();
    const auto begin = type.find('{');
    const auto end = type.find('}');
    if (begin == std::string::npos || end == std::string::npos) {
        return {};
    }
    auto words = type.substr(begin + 1, end - begin - 1);
    std::ranges::replace(words, ',', ' ');
    return words;
}

/// Adds cases for the shell's `case` statement: for the words of each command, what may come next.
void add_cases(const CLI::App& command, const std::string& words, std::string& cases) {
    const auto subcommands = command.get_subcommands({});
    for (const auto* option : command.get_options()) {
        if (const auto values = words_of(*option); !values.empty() && !option->get_lnames().empty()) {
            cases += fmt::format("    \"{}:--{}\") choices=\"{}\" ;;\n", words, option->get_lnames().front(), values);
        }
    }
    const auto names = mapped(subcommands, [](const auto* each) { return each->get_name(); });
    cases += fmt::format("    \"{}:\"*) choices=\"{}\"; options=\"{}\" ;;\n", words, fmt::join(names, " "),
                         fmt::join(options_of(command), " "));
    for (const auto* each : subcommands) {
        add_cases(*each, words + " " + each->get_name(), cases);
    }
}

/// The parts of the script that depend on the shell: how it gives its function the words before the cursor, takes the
/// choices, and registers the function.
struct Dialect {
    const char* head;
    const char* tail;
};

constexpr Dialect bash{
    R"(_crescendo() {
  local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"
  local verb="${COMP_WORDS[1]-}" noun="${COMP_WORDS[2]-}" position=$COMP_CWORD
)",
    R"(  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}
complete -o default -F _crescendo crescendo
)"};

/// zsh loads the script as the function itself if it is in a folder of `fpath`; it can also be sourced.
constexpr Dialect zsh{
    R"(#compdef crescendo
_crescendo() {
  local current="${words[CURRENT]}" before="${words[CURRENT-1]}"
  local verb="${words[2]-}" noun="${words[3]-}" position=$((CURRENT - 1))
)",
    R"(  compadd -- ${=choices} || _files
}
if [[ "$funcstack[1]" == _crescendo ]]; then _crescendo "$@"; else compdef _crescendo crescendo; fi
)"};

/// A shell function that completes the word before the cursor. If it has no choices, the shell completes file names.
std::string script_of(const CLI::App& app, Shell shell) {
    std::string nested;  // commands with subcommands
    for (const auto* command : app.get_subcommands({})) {
        if (!command->get_subcommands({}).empty()) {
            nested += (nested.empty() ? "" : "|") + command->get_name();
        }
    }
    std::string cases;
    add_cases(app, "crescendo", cases);
    const auto& dialect = shell == Shell::zsh ? zsh : bash;
    return dialect.head +
           fmt::format(R"(  local command="crescendo" choices="" options=""
  if (( position > 1 )); then
    command="crescendo $verb"
    case "$verb" in
      {}) if (( position > 2 )); then command="$command $noun"; fi ;;
    esac
  fi
  case "$command:$before" in
{}  esac
  if [[ "$current" == -* ]]; then choices="$options"; fi
)",
                       nested.empty() ? "-" : nested, cases) +
           dialect.tail;
}

}  // namespace

void add_completion_command(CLI::App& app, ExitCode& code) {
    auto shell = std::make_shared<Shell>(Shell::bash);
    auto* command = app.add_subcommand("completion", "Print a shell script that completes commands and options");
    command->add_option("SHELL", *shell, "bash or zsh")->required()->transform(one_of(shells));
    command->footer("Example, in ~/.bashrc:\n  source <(crescendo completion bash)\nin ~/.zshrc, after compinit:\n  "
                    "source <(crescendo completion zsh)");
    command->callback([&app, shell, &code] {
        fmt::print("{}", script_of(app, *shell));
        code = ExitCode::done;
    });
}

}  // namespace crescendo::launch
