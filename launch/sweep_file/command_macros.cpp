#include "launch/sweep_file/command_macros.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string_view>

#include "core/check.hpp"
#include "launch/messages/value_json.hpp"
#include "launch/yaml/spelling.hpp"

namespace crescendo::launch {
namespace {

/// As Python writes it, and so W&B: `eval`, `ast.literal_eval` and `== "True"` understand it.
std::string argument_text(const Value& value) {
    const auto* flag = std::get_if<bool>(&value);
    return flag == nullptr ? to_string(value) : *flag ? "True" : "False";
}

class Expansion {
  public:
    Expansion(const std::string& program, const Config& config) : config_(config) {
        macros_["program"] = program;
        macros_["interpreter"] = "python3";
        macros_["env"] = "/usr/bin/env";
        macros_["args_json"] = to_json(config).dump();
        for (const auto& [name, value] : config) {
            macros_.emplace(name, argument_text(value));
        }
    }

    /// The words that one word of the command becomes.
    std::vector<std::string> expand(std::string_view word, const std::string& key) const {
        if (auto arguments = expand_arguments(word)) {
            return *std::move(arguments);
        }
        std::string result;
        for (std::size_t begin; (begin = word.find("${")) != std::string_view::npos;) {
            const auto end = word.find('}', begin);
            if (end == std::string_view::npos) {
                throw InvalidInput(fmt::format("'{}' has a ${{ without its }}; close it", word), key);
            }
            result += word.substr(0, begin);
            result += macro(std::string(word.substr(begin + 2, end - begin - 2)), key);
            word.remove_prefix(end + 1);
        }
        result += word;
        return {result};
    }

  private:
    std::optional<std::vector<std::string>> expand_arguments(std::string_view word) const {
        const bool as_flags = word == "${args_no_boolean_flags}";
        if (word != "${args}" && word != "${args_no_hyphens}" && !as_flags) {
            return {};
        }
        const std::string hyphens = word == "${args_no_hyphens}" ? "" : "--";
        std::vector<std::string> words;
        for (const auto& [name, value] : config_) {
            const auto* flag = as_flags ? std::get_if<bool>(&value) : nullptr;
            if (flag == nullptr) {
                words.push_back(hyphens + name + '=' + argument_text(value));
            } else if (*flag) {
                words.push_back(hyphens + name);
            }
        }
        return words;
    }

    const std::string& macro(const std::string& name, const std::string& key) const {
        if (name == "args" || name == "args_no_hyphens" || name == "args_no_boolean_flags") {
            throw InvalidInput(
                fmt::format("${{{}}} becomes several arguments; make it a word of its own, or use ${{args_json}}",
                            name),
                key);
        }
        const auto found = macros_.find(name);
        if (name == "program" && found->second.empty()) {
            throw InvalidInput(
                "${program} has no value; add `program: train.py` to the file, or write the program here", key);
        }
        if (found == macros_.end()) {
            std::vector<std::string> known{"args", "args_no_hyphens", "args_no_boolean_flags"};
            for (const auto& [macro_name, text] : macros_) {
                known.push_back(macro_name);
            }
            throw InvalidInput(fmt::format("${{{}}} is neither a macro nor a parameter{}; there are {}", name,
                                           did_you_mean(name, known), enumerate(known, " and ")),
                               key);
        }
        return found->second;
    }

    const Config& config_;
    std::map<std::string, std::string> macros_;  ///< those that become one word or a part of it
};

}  // namespace

std::vector<std::string> expand_word(const std::string& word, std::size_t index, const std::string& program,
                                     const Config& config) {
    return Expansion(program, config).expand(word, fmt::format("command[{}]", index));
}

std::vector<std::string> expand_shared_word(const std::string& word, std::size_t index, const std::string& program) {
    if (word == "${args}") {
        return {};
    }
    const auto key = fmt::format("command[{}]", index);
    try {
        if (word.find("${args") == std::string::npos) {
            const Config none;
            return Expansion(program, none).expand(word, key);
        }
    } catch (const InvalidInput&) {
        // It names a parameter.
    }
    throw InvalidInput(
        fmt::format("'{}' differs from trial to trial, and with `grow: in_place` the program is started before its "
                    "trials; each brings its parameters as arguments of their names (--lr=0.01): write ${{args}}",
                    word),
        key);
}

std::vector<std::string> expand_shared_command(const std::vector<std::string>& command, const std::string& program) {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < command.size(); ++i) {
        const auto words = expand_shared_word(command[i], i, program);
        result.insert(result.end(), words.begin(), words.end());
    }
    return result;
}

std::vector<std::string> expand_command(const std::vector<std::string>& command, const std::string& program,
                                        const Config& config) {
    const Expansion expansion(program, config);
    std::vector<std::string> result;
    for (std::size_t i = 0; i < command.size(); ++i) {
        auto words = expansion.expand(command[i], fmt::format("command[{}]", i));
        result.insert(result.end(), words.begin(), words.end());
    }
    return result;
}

}  // namespace crescendo::launch
