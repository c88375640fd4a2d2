#pragma once

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

/// What is wrong with a sweep file beyond its text: settings that the trainer does not know or cannot use, data
/// that are missing or do not fit, a command that is not there. Each message names file, line, column and key.
std::vector<std::string> problems_of(const SweepFile& file, const ProgramPaths& paths);

/// Throws InvalidInput with all of them, if there are any.
void require_sound(const SweepFile& file, const ProgramPaths& paths);

}  // namespace crescendo::launch
