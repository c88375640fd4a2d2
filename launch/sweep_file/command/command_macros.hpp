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

/// What the macros in a command stand for.
struct Macros {
    std::string program;  ///< empty unless given
    Config config;        ///< parameters that hold others are maps, as nested() makes them
    /// What there is to say about the trial: `trial`, `trial_dir`, `seed`, `slots`, `max_resource`. A parameter of one
    /// of these names takes its place.
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
///   `${args_argparse}`          the same, and --sizes 64 32 for a list, and nothing for null
///   `${args_append_hydra}`      +lr=0.01 +nesterov=True
///   `${args_override_hydra}`    ++lr=0.01 ++nesterov=True
/// These may also stand inside a larger word:
///   `${args_json}`              all parameters as one JSON object
///   `${args_json_file}`         the file that holds this object
///   `${program}`                the sweep file's `program`
///   `${interpreter}`            python3
///   `${env}`                    /usr/bin/env
///   `${envvar:NAME}`            the environment variable NAME
///   `${trial}`, `${seed}` …     what Macros::trial has
///   `${lr}`                     the value of the parameter lr; `${optimizer.lr}` of one that optimizer holds
///
/// Booleans and null are `True`, `False` and `None`, as W&B passes them; lists and maps are JSON.
///
/// A `$` that no `{` follows is kept. Throws InvalidInput (key "command[<index>]") on an unknown macro, and on a
/// variable that is not set.
std::vector<std::string> expand_word(const std::string& word, std::size_t index, const Macros& macros);

/// Expands a word of a command that is started before its trials: `${args}` becomes nothing, because each trial brings
/// its parameters. Throws InvalidInput (key "command[<index>]") on any other macro that depends on a trial.
std::vector<std::string> expand_shared_word(const std::string& word, std::size_t index, const std::string& program);

/// Whether `${name}` is a macro whose place no parameter of that name takes.
bool is_fixed_macro(std::string_view name);

/// Whether the word becomes words that begin with two hyphens and a parameter's name.
bool puts_hyphens(const std::string& word);

/// Why no word of a command may have the macro of a parameter that some trials lack.
std::string absent_in_some_trials(const std::string& macro);

/// A remark on each `${envvar:NAME}` of a command whose variable the environment does not have.
std::vector<Remark> unset_variables(const std::vector<std::string>& command);

/// Expands each word of `command`, as expand_shared_word() does.
std::vector<std::string> expand_shared_command(const std::vector<std::string>& command, const std::string& program);

/// Expands the macros in each word of `command`, as expand_word() does.
std::vector<std::string> expand_command(const std::vector<std::string>& command, const Macros& macros);

}  // namespace crescendo::launch
