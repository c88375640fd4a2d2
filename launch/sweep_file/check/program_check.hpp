#pragma once

#include <string>
#include <vector>

#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

// Whether the programs and files that a sweep file names are there. `key` is where in the file they are named: what was
// meant by a wrong one depends on it.

/// Why `word` cannot be executed; empty if it can.
std::string no_program(const std::string& word, const std::string& key, const SweepFile& file);

/// That there is no file `path`, and what to write.
std::string no_file(const std::string& path, const std::string& key, const SweepFile& file);

/// Adds a mistake where a program of a command is none. An empty word is unknown, and fine. `key` is that of the words.
void check_programs(const std::vector<std::string>& words, const char* key, const SweepFile& file, Mistakes& mistakes);

}  // namespace crescendo::launch
