#pragma once

#include <string>
#include <vector>

#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

// Checks that the programs and files in a sweep file exist. `key` is the key that names them; hints for a wrong path
// depend on it.

/// Why `word` cannot be executed; empty if it can.
std::string no_program(const std::string& word, const std::string& key, const SweepFile& file);

/// The message that the file `path` does not exist, and what to write instead.
std::string no_file(const std::string& path, const std::string& key, const SweepFile& file);

/// Adds a mistake if the program of a command does not exist. An empty word is unknown, and accepted. `key` is the key
/// of `words`.
void check_programs(const std::vector<std::string>& words, const char* key, const SweepFile& file, Mistakes& mistakes);

}  // namespace crescendo::launch
