#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {

/// A sampler that is another program: `sampler: {command: [python3, mine.py]}`.
struct SamplerCommand {
    std::vector<std::string> words;      ///< the program and its arguments
    int ahead = 1;                       ///< proposals that are asked for before slots are free for them
    std::chrono::seconds deadline{60};   ///< time for an answer, and for the start of the program
};

/// Reads the section `sampler`, which has the key `command`.
SamplerCommand read_sampler_command(const YamlSection& sampler);

}  // namespace crescendo::launch
