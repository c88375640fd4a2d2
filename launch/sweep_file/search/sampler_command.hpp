#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "launch/json/json.hpp"
#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {

/// A sampler of the user's: another program, `sampler: {command: [python3, mine.py]}`, or a class of a plug-in,
/// `sampler: {type: climber}`.
struct SamplerCommand {
    std::vector<std::string> words;      ///< the program and its arguments; none: it is of a plug-in
    std::string plugin;                  ///< name of the plug-in's class; empty: it is a program
    OrderedJson options = OrderedJson::object();  ///< handed on as they are
    int ahead = 1;                       ///< proposals that are asked for before slots are free for them
    std::chrono::seconds deadline{60};   ///< time for an answer, and for the start of the program
};

/// Reads the section `sampler`, which has the key `command`, or whose `type` is the class `plugin` of a plug-in.
SamplerCommand read_sampler_command(const YamlSection& sampler, const std::string& plugin = "");

}  // namespace crescendo::launch
