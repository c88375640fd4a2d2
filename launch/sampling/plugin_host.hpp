#pragma once

#include <string>
#include <vector>

#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// A place in the sweep file that a class of a plug-in may take.
enum class PluginPlace { sampler, stop_rule };

/// The command of the process that loads the file's plug-ins, and answers for the class that the place names.
std::vector<std::string> plugin_command(const SweepFile& file, PluginPlace place);

/// The class as messages call it, behind where the file names it: "sweep.yaml:7:17: sampler.type: the sampler `climber`
/// of ./libmine.so".
std::string plugin_name(const SweepFile& file, PluginPlace place);

}  // namespace crescendo::launch
