#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/value.hpp"

namespace crescendo::launch {

/// Expands the macros in one word of a command: those of W&B sweeps, and one for each parameter.
///
/// Each of these must be a word of its own, because it becomes one word for each parameter:
///   `${args}`                   --lr=0.01 --nesterov=True
///   `${args_no_hyphens}`        lr=0.01 nesterov=True
///   `${args_no_boolean_flags}`  --lr=0.01 --nesterov, and nothing for a parameter that is false
/// These may also stand inside a larger word:
///   `${args_json}`              all parameters as one JSON object
///   `${program}`                the sweep file's `program`
///   `${interpreter}`            python3
///   `${env}`                    /usr/bin/env
///   `${lr}`                     the value of the parameter lr
///
/// Booleans are `True` and `False`, as W&B passes them; in `${args_json}` they are JSON's.
///
/// A `$` that no `{` follows is kept. Throws InvalidInput (key "command[<index>]") on an unknown macro.
std::vector<std::string> expand_word(const std::string& word, std::size_t index, const std::string& program,
                                     const Config& config);

/// Expands a word of a command that is started before its trials: `${args}` becomes nothing, because each trial brings
/// its parameters. Throws InvalidInput (key "command[<index>]") on any other macro that depends on a trial.
std::vector<std::string> expand_shared_word(const std::string& word, std::size_t index, const std::string& program);

/// Expands each word of `command`, as expand_shared_word() does.
std::vector<std::string> expand_shared_command(const std::vector<std::string>& command, const std::string& program);

/// Expands the macros in each word of `command`, as expand_word() does.
std::vector<std::string> expand_command(const std::vector<std::string>& command, const std::string& program,
                                        const Config& config);

}  // namespace crescendo::launch
