#pragma once

#include <functional>
#include <string>

#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// Reads the sources of `warm_start:` into `file.spec`: directories of sweeps, and CSV files in the form of
/// `crescendo trials` and `crescendo export`. Passes `say` one line for the user about what is used and what is not.
///
/// A result counts with the values of the parameters that both spaces have. A result with a value that a parameter
/// cannot have here is left out. Throws InvalidInput, at the source's place in the file, if a source cannot be read,
/// has another metric or goal, or has no usable result.
void gather_warm_start(SweepFile& file, const std::function<void(const std::string&)>& say);

}  // namespace crescendo::launch
