#pragma once

#include <string>

#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// Adds mistakes about plug-ins: a library that is missing, cannot be loaded, or is not used in the file, and a class
/// that no plug-in has. `host` is the program that loads plug-ins.
void check_plugins(const SweepFile& file, const std::string& host, Mistakes& mistakes);

}  // namespace crescendo::launch
