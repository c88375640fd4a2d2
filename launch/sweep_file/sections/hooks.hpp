#pragma once

#include <string>
#include <vector>

#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {

/// Commands that a session runs when it ends: mail, chat, the next job. Lists of words, run without a shell; empty:
/// none. They affect no decision, so they may change at any time.
struct Hooks {
    std::vector<std::string> on_finish;   ///< the sweep is done
    std::vector<std::string> on_failure;  ///< every trial failed, or the session ended with an error
};

/// Reads the keys `on_finish` and `on_failure` of a sweep file or site profile.
Hooks read_hooks(const YamlSection& file);

}  // namespace crescendo::launch
