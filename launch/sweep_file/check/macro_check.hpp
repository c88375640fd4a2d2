#pragma once

#include <string>
#include <vector>

#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// Adds a mistake for each word of the command whose macro would not pass a parameter in some trial: a parameter that
/// holds others which a trial may all lack, or one with the name of a macro. A sweep that has begun is not checked, so
/// that it continues as far as it can.
void check_macros_of_parameters(const SweepFile& file, Mistakes& mistakes);

/// The parameters that differ between trials and that no word of the command passes to the program. Empty if the
/// program may look for them itself.
std::vector<std::string> parameters_left_out(const SweepFile& file);

}  // namespace crescendo::launch
