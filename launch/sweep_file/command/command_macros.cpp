#include "launch/sweep_file/command/command_macros.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>

#include "core/check.hpp"
#include "core/spelling.hpp"
#include "launch/json/value_json.hpp"
#include "launch/messages/trial_files.hpp"

namespace crescendo::launch {
namespace {

constexpr std::string_view of_environment = "envvar:";
constexpr const char* unset_variable = "the environment variable {} is not set; export it, or write its value here";

/// The value as Python and W&B write it: `eval`, `ast.literal_eval` and `== "True"` understand it.
std::string argument_text(const Value& value) {
    if (const auto* flag = std::get_if<bool>(&value)) {
        return *flag ? "True" : "False";
    }
    const auto* json = std::get_if<JsonValue>(&value);
    return json != nullptr && json->text == "null" ? "None" : to_string(value);
}

/// How a macro writes a parameter as words of the command.
enum class ArgumentStyle {
    equals,     ///< --lr=0.01
    two_words,  ///< --lr 0.01
    flags,      ///< a true boolean is --NAME, a false one is left out
    argparse,   ///< like `flags`; a list is several words, and null is left out
    hydra,      ///< nested parameters by their paths, optimizer.lr=0.01; null as YAML writes it
};

struct ArgumentsMacro {
    const char* name;
    const char* prefix;  ///< text before a parameter's name
    ArgumentStyle style;
};

constexpr std::array arguments_macros{
    ArgumentsMacro{"args", "--", ArgumentStyle::equals},
    ArgumentsMacro{"args_no_equals", "--", ArgumentStyle::two_words},
    ArgumentsMacro{"args_no_hyphens", "", ArgumentStyle::hydra},
    ArgumentsMacro{"args_no_boolean_flags", "--", ArgumentStyle::flags},
    ArgumentsMacro{"args_argparse", "--", ArgumentStyle::argparse},
    ArgumentsMacro{"args_append_hydra", "+", ArgumentStyle::hydra},
    ArgumentsMacro{"args_override_hydra", "++", ArgumentStyle::hydra},
};

const ArgumentsMacro* find_arguments_macro(std::string_view name) {
    const auto* const found = std::ranges::find(arguments_macros, name, &ArgumentsMacro::name);
    return found == arguments_macros.end() ? nullptr : found;
}

class Expansion {
  public:
    explicit Expansion(const Macros& macros) : config_(macros.config), variables_(macros.variables) {
        texts_["program"] = macros.program;
        texts_["interpreter"] = "python3";
        texts_["env"] = "/usr/bin/env";
        const auto json = to_json(config_);
        texts_["args_json"] = json.dump();
        add_parameters(json, "");
        if (const auto directory = macros.trial.find("trial_dir"); directory != macros.trial.end()) {
            texts_["args_json_file"] = directory->second + "/" + trial_files::parameters;
        }
        texts_.insert(macros.trial.begin(), macros.trial.end());
    }

    /// Expands one word of the command.
    std::vector<std::string> expand(std::string_view word, const std::string& key) const {
        if (word.starts_with("${") && word.ends_with("}")) {
            if (const auto* macro = find_arguments_macro(word.substr(2, word.size() - 3))) {
                return arguments(*macro);
            }
        }
        std::string result;
        for (std::size_t begin; (begin = word.find("${")) != std::string_view::npos;) {
            const auto end = word.find('}', begin);
            if (end == std::string_view::npos) {
                throw InvalidInput(fmt::format("'{}' has a ${{ without a }}; close it", word), key);
            }
            result += word.substr(0, begin);
            result += text_of(std::string(word.substr(begin + 2, end - begin - 2)), key);
            word.remove_prefix(end + 1);
        }
        result += word;
        return {result};
    }

  private:
    /// Adds the text of each parameter, and of those nested in it.
    void add_parameters(const OrderedJson& parameters, const std::string& prefix) {
        for (const auto& [name, value] : parameters.items()) {
            texts_.emplace(prefix + name, argument_text(value_from_json(value)));
            if (value.is_object()) {
                add_parameters(value, prefix + name + ".");
            }
        }
    }

    std::vector<std::string> arguments(const ArgumentsMacro& macro) const {
        std::vector<std::string> words;
        if (macro.style == ArgumentStyle::hydra) {
            add_overrides(to_json(config_), macro.prefix, words);
            return words;
        }
        const bool is_argparse = macro.style == ArgumentStyle::argparse;
        for (const auto& [name, value] : config_) {
            const auto* flag = is_argparse || macro.style == ArgumentStyle::flags ? std::get_if<bool>(&value) : nullptr;
            const auto parts = is_argparse ? to_json(value) : Json();
            if (flag != nullptr) {
                if (*flag) {
                    words.push_back(macro.prefix + name);
                }
            } else if (parts.is_array()) {
                words.push_back(macro.prefix + name);
                std::ranges::transform(parts, std::back_inserter(words),
                                       [](const Json& part) { return argument_text(value_from_json(part)); });
            } else if (is_argparse && parts.is_null()) {
                continue;  // a missing word means null
            } else if (macro.style != ArgumentStyle::two_words) {
                words.push_back(macro.prefix + name + '=' + argument_text(value));
            } else {
                words.push_back(macro.prefix + name);
                words.push_back(argument_text(value));
            }
        }
        return words;
    }

    /// Adds nested parameters one by one, because Hydra does not read JSON objects.
    static void add_overrides(const OrderedJson& parameters, const std::string& prefix,
                              std::vector<std::string>& words) {
        for (const auto& [name, value] : parameters.items()) {
            if (value.is_object()) {
                add_overrides(value, prefix + name + '.', words);
            } else {
                words.push_back(prefix + name + '=' +
                                (value.is_null() ? "null" : argument_text(value_from_json(value))));
            }
        }
    }

    std::string text_of(const std::string& name, const std::string& key) const {
        if (find_arguments_macro(name) != nullptr) {
            throw InvalidInput(
                fmt::format(
                    "${{{0}}} stands for several arguments; make it a separate word, or use ${{args_json}}; with a "
                    "shell, write [bash, -c, 'source venv/bin/activate && exec python3 train.py \"$@\"', bash, "
                    "\"${{{0}}}\"]",
                    name),
                key);
        }
        if (name.starts_with(of_environment)) {
            const auto variable = name.substr(of_environment.size());
            if (const char* value = variables_(variable.c_str())) {
                return value;
            }
            throw InvalidInput(fmt::format(fmt::runtime(unset_variable), variable), key);
        }
        const auto found = texts_.find(name);
        if (name == "program" && found->second.empty()) {
            throw InvalidInput(
                "${program} has no value; add `program: train.py` to the file, or write the program here", key);
        }
        if (found == texts_.end()) {
            auto known = names_of(arguments_macros);
            for (const auto& [macro_name, text] : texts_) {
                known.push_back(macro_name);
            }
            const bool is_a_variable = name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == name.npos;
            const auto hint = is_a_variable ? fmt::format("; for an environment variable, write ${{envvar:{}}}", name)
                                            : did_you_mean(name, known);
            throw InvalidInput(fmt::format("${{{}}} is neither a macro nor a parameter{}; use one of {}", name, hint,
                                           enumerate(known, " and ")),
                               key);
        }
        return found->second;
    }

    const Config& config_;
    const Variables& variables_;
    std::map<std::string, std::string> texts_;  ///< by macro, for macros that become one word or a part of one
};

}  // namespace

std::vector<std::string> expand_word(const std::string& word, std::size_t index, const Macros& macros) {
    return Expansion(macros).expand(word, fmt::format("command[{}]", index));
}

std::vector<std::string> expand_shared_word(const std::string& word, std::size_t index, const std::string& program) {
    if (word == "${args}") {
        return {};
    }
    const auto key = fmt::format("command[{}]", index);
    try {
        if (word.find("${args") == std::string::npos) {
            return expand_word(word, index, {program, {}});
        }
    } catch (const InvalidInput&) {
        if (!unset_variables({word}).empty()) {
            throw;
        }
        // The word names a parameter.
    }
    throw InvalidInput(
        fmt::format("'{}' differs between trials, but with `grow: in_place` the program starts before its trials; each "
                    "trial then brings its parameters as named arguments (--lr=0.01); write ${{args}}",
                    word),
        key);
}

bool puts_hyphens(const std::string& word) {
    return std::ranges::any_of(arguments_macros, [&](const ArgumentsMacro& macro) {
        return std::string_view(macro.prefix) == "--" && word == fmt::format("${{{}}}", macro.name);
    });
}

bool is_fixed_macro(std::string_view name) {
    constexpr std::array<std::string_view, 5> others{"program", "interpreter", "env", "args_json", "args_json_file"};
    return find_arguments_macro(name) != nullptr || std::ranges::find(others, name) != others.end();
}

std::string absent_in_some_trials(const std::string& macro) {
    return fmt::format(
        "{} has no value in trials that lack the parameter; write ${{args}} or ${{args_json}}, which leave it out",
        macro);
}

std::vector<Remark> unset_variables(const std::vector<std::string>& command) {
    const std::string begin = fmt::format("${{{}", of_environment);
    std::vector<Remark> remarks;
    for (std::size_t i = 0; i < command.size(); ++i) {
        const auto& word = command[i];
        for (auto at = word.find(begin); at != std::string::npos; at = word.find(begin, at + 1)) {
            const auto name = at + begin.size();
            const auto variable = word.substr(name, word.find('}', name) - name);
            if (std::getenv(variable.c_str()) == nullptr) {
                remarks.push_back({fmt::format("command[{}]", i), fmt::format(fmt::runtime(unset_variable), variable)});
            }
        }
    }
    return remarks;
}

std::vector<std::string> expand_shared_command(const std::vector<std::string>& command, const std::string& program) {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < command.size(); ++i) {
        const auto words = expand_shared_word(command[i], i, program);
        result.insert(result.end(), words.begin(), words.end());
    }
    return result;
}

std::vector<std::string> expand_command(const std::vector<std::string>& command, const Macros& macros) {
    const Expansion expansion(macros);
    std::vector<std::string> result;
    for (std::size_t i = 0; i < command.size(); ++i) {
        auto words = expansion.expand(command[i], fmt::format("command[{}]", i));
        result.insert(result.end(), words.begin(), words.end());
    }
    return result;
}

}  // namespace crescendo::launch
