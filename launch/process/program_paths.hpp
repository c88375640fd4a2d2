#pragma once

#include <string>

namespace crescendo::launch {

/// Paths of the programs that belong to crescendo.
struct ProgramPaths {
    std::string trainer;  ///< CRESCENDO_TRAINER, or crescendo-trainer beside our own executable
    std::string guard;
    std::string plugin_host;

    static ProgramPaths find();
};

}  // namespace crescendo::launch
