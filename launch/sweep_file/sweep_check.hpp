#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// Where the programs that belong to crescendo lie.
struct ProgramPaths {
    std::string trainer;  ///< CRESCENDO_TRAINER, or crescendo-trainer beside our own executable
    std::string guard;

    static ProgramPaths find();
};

/// Adds what is wrong beyond the file's text: settings that the trainer does not know or cannot use, data that are
/// missing or do not fit, a program or script that is not there. Nothing is looked for whose key is mistaken.
void check(SweepDraft& draft, const ProgramPaths& paths);

/// What is allowed, and yet hardly meant: a command that is the same for all trials.
std::vector<std::string> warnings_of(const SweepFile& file);

/// For commands that train, or check what others will. Throws InvalidInput with all that is wrong with the file;
/// prints its warnings.
SweepFile read_sound_sweep_file(const std::filesystem::path& path);

}  // namespace crescendo::launch
