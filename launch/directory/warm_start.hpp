#pragma once

#include <functional>
#include <string>

#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// Reads the sources of `warm_start:` into `file.spec`: directories of sweeps, and CSV files as `crescendo trials` and
/// `crescendo export` write them. Tells `say`, in one line for people, what of them is used and what is not.
///
/// A result counts with the values of the parameters that both spaces have. One with a value that a parameter never has
/// here is left out. Throws InvalidInput, at the source's place in the file, for one that cannot be read, has another
/// metric or goal, or has nothing that could be used.
void gather_warm_start(SweepFile& file, const std::function<void(const std::string&)>& say);

}  // namespace crescendo::launch
