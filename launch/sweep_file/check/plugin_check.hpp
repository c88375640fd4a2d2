#pragma once

#include <string>

#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// Adds mistakes about plug-ins: a library that is missing, that cannot be loaded, or that nothing in the file uses,
/// and classes that no plug-in has. `host` is the program that loads them.
void check_plugins(const SweepFile& file, const std::string& host, Mistakes& mistakes);

}  // namespace crescendo::launch
