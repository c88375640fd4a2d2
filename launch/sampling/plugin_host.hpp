#pragma once

#include <string>
#include <vector>

#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// A setting of the sweep file that can name a plug-in's class.
enum class PluginPlace { sampler, stop_rule };

/// The command of the process that loads the file's plug-ins and runs the class that `place` names.
std::vector<std::string> plugin_command(const SweepFile& file, PluginPlace place);

/// The name of the class in messages, after its place in the file: "sweep.yaml:7:17: sampler.type: the sampler
/// `climber` of ./libmine.so".
std::string plugin_name(const SweepFile& file, PluginPlace place);

}  // namespace crescendo::launch
