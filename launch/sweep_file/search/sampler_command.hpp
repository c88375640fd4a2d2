#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "launch/json/json.hpp"
#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {

/// The user's own sampler: another program, `sampler: {command: [python3, mine.py]}`, or a class of a plug-in,
/// `sampler: {type: climber}`.
struct SamplerCommand {
    std::vector<std::string> words;      ///< the program and its arguments; empty: the sampler is a plug-in
    std::string plugin;                  ///< name of the plug-in's class; empty: the sampler is a program
    OrderedJson options = OrderedJson::object();  ///< passed on unchanged
    int ahead = 1;                       ///< number of proposals to ask for before slots are free for them
    std::chrono::seconds deadline{60};   ///< time limit for an answer, and for the program to start
};

/// Reads the section `sampler`, which has the key `command`, or whose `type` is the class `plugin` of a plug-in.
SamplerCommand read_sampler_command(const YamlSection& sampler, const std::string& plugin = "");

}  // namespace crescendo::launch
