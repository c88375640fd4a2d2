#pragma once

#include <string>

namespace crescendo::launch {

/// Paths of Crescendo's helper programs.
struct ProgramPaths {
    std::string trainer;  ///< CRESCENDO_TRAINER, or crescendo-trainer next to our own executable
    std::string guard;
    std::string plugin_host;

    static ProgramPaths find();
};

}  // namespace crescendo::launch
