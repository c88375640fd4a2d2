#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launch/process/program_paths.hpp"
#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// Adds mistakes that the file's text alone does not show: settings that the trainer does not know or cannot use, data
/// that are missing or do not fit, a program or script that does not exist. Keys that already have a mistake are not
/// checked.
void check(SweepDraft& draft, const ProgramPaths& paths);

/// Warnings about what is allowed but probably not intended: a command that is the same for all trials, or a script
/// whose reports go to W&B.
std::vector<std::string> warnings_of(const SweepFile& file);

/// Reads and checks a sweep file, for commands that train or that check a sweep before it trains. Throws InvalidInput
/// with all mistakes, and prints the warnings.
SweepFile read_sound_sweep_file(const std::filesystem::path& path);

}  // namespace crescendo::launch
