#pragma once

#include <string>
#include <vector>

#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// Adds a mistake for each word of the command by whose macro some trial would not get what it names: a parameter that
/// holds others, where a trial may lack them all, and one that has the name of a macro. Nobody asks this of a sweep
/// that has begun, so that it goes on as far as it can.
void check_macros_of_parameters(const SweepFile& file, Mistakes& mistakes);

/// The parameters that differ from trial to trial and that no word of the command passes to the program. None if it may
/// look for them itself.
std::vector<std::string> parameters_left_out(const SweepFile& file);

}  // namespace crescendo::launch
