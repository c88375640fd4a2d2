#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/value.hpp"
#include "launch/sweep_file/sections/remark.hpp"
#include "launch/system/environment.hpp"

namespace crescendo::launch {

/// Values of the macros in a command.
struct Macros {
    std::string program;  ///< empty unless given
    Config config;        ///< nested parameters are maps, as nested() makes them
    /// Facts about the trial: `trial`, `trial_dir`, `seed`, `slots`, `max_resource`. A parameter with one of these
    /// names takes precedence.
    std::map<std::string, std::string> trial = {};
    Variables variables = ::getenv;
};

/// Expands the macros in one word of a command: those of W&B sweeps, some of our own, and one for each parameter.
///
/// Each of these must be a word of its own, because it becomes words for each parameter:
///   `${args}`                   --lr=0.01 --nesterov=True
///   `${args_no_equals}`         --lr 0.01 --nesterov True
///   `${args_no_hyphens}`        lr=0.01 nesterov=True
///   `${args_no_boolean_flags}`  --lr=0.01 --nesterov, and nothing for a parameter that is false
///   `${args_argparse}`          like the line above, but --sizes 64 32 for a list, and nothing for null
///   `${args_append_hydra}`      +lr=0.01 +nesterov=True
///   `${args_override_hydra}`    ++lr=0.01 ++nesterov=True
/// These may also be part of a larger word:
///   `${args_json}`              all parameters as one JSON object
///   `${args_json_file}`         the file that holds this object
///   `${program}`                the sweep file's `program`
///   `${interpreter}`            python3
///   `${env}`                    /usr/bin/env
///   `${envvar:NAME}`            the environment variable NAME
///   `${trial}`, `${seed}` …     the values in Macros::trial
///   `${lr}`                     the value of the parameter lr; `${optimizer.lr}` is lr inside optimizer
///
/// Booleans and null are `True`, `False` and `None`, as W&B passes them; lists and maps are JSON.
///
/// A `$` without a `{` after it is kept. Throws InvalidInput (key "command[<index>]") if a macro is unknown, or if a
/// variable is not set.
std::vector<std::string> expand_word(const std::string& word, std::size_t index, const Macros& macros);

/// Expands a word of a command that is started before its trials. `${args}` becomes nothing, because each trial brings
/// its own parameters. Throws InvalidInput (key "command[<index>]") on any other macro that depends on a trial.
std::vector<std::string> expand_shared_word(const std::string& word, std::size_t index, const std::string& program);

/// Whether `${name}` is a macro that a parameter of that name does not replace.
bool is_fixed_macro(std::string_view name);

/// Whether the word expands to words that begin with two hyphens and a parameter's name.
bool puts_hyphens(const std::string& word);

/// The message that no word of a command may contain `macro`, because some trials lack its parameter.
std::string absent_in_some_trials(const std::string& macro);

/// A remark on each `${envvar:NAME}` of a command whose variable is not set in the environment.
std::vector<Remark> unset_variables(const std::vector<std::string>& command);

/// Expands each word of `command`, as expand_shared_word() does.
std::vector<std::string> expand_shared_command(const std::vector<std::string>& command, const std::string& program);

/// Expands the macros in each word of `command`, as expand_word() does.
std::vector<std::string> expand_command(const std::vector<std::string>& command, const Macros& macros);

}  // namespace crescendo::launch
