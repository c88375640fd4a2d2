#pragma once

#include <string>
#include <vector>

#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

// The parts of check(), which sweep_check.hpp has.

// Of programs and files in a sweep file that must exist. `key` is the key that names them; hints for a wrong path depend
// on it.

/// Why `word` cannot be executed; empty if it can.
std::string no_program(const std::string& word, const std::string& key, const SweepFile& file);

/// The message that the file `path` does not exist, and what to write instead.
std::string no_file(const std::string& path, const std::string& key, const SweepFile& file);

/// Adds a mistake if the program of a command does not exist. An empty word is unknown, and accepted. `key` is the key
/// of `words`.
void check_programs(const std::vector<std::string>& words, const char* key, const SweepFile& file, Mistakes& mistakes);

/// Adds a mistake for each word of the command whose macro would not pass a parameter in some trial: a parameter that
/// holds others which a trial may all lack, or one with the name of a macro. A sweep that has begun is not checked, so
/// that it continues as far as it can.
void check_macros_of_parameters(const SweepFile& file, Mistakes& mistakes);

/// The parameters that differ between trials and that no word of the command passes to the program. Empty if the
/// program may look for them itself.
std::vector<std::string> parameters_left_out(const SweepFile& file);

/// Adds mistakes about plug-ins: a library that is missing, cannot be loaded, or is not used in the file, and a class
/// that no plug-in has. `host` is the program that loads plug-ins.
void check_plugins(const SweepFile& file, const std::string& host, Mistakes& mistakes);

/// Asks a trainer which of its settings are wrong, and for its remarks (docs/trial-protocol.md, `--check`). It is given
/// values that represent everything a trial can have. `key` is the key that names the trainer in the file.
void ask_trainer(SweepFile& file, const std::vector<std::string>& command, const char* key, Mistakes& mistakes);

/// As ask_trainer(), for the trainer that comes with Crescendo.
void check_trainer(SweepFile& file, const std::string& trainer, Mistakes& mistakes);

}  // namespace crescendo::launch
