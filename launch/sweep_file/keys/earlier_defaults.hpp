#pragma once

#include <vector>

#include "launch/sweep_file/keys/overrides.hpp"

namespace crescendo::launch {

/// Numbers the sweep file's defaults: it grows when the default of a key that decides about trials changes, or what
/// `method: auto` and `bayes` choose. A journal has the number with which its sweep began; older journals have none,
/// which means 1.
inline constexpr int present_defaults = 9;

/// The defaults of that number that are others today. Keys that the sweep file gives stay as they are, and so do files
/// without a section: what holds for these did not change.
std::vector<Override> earlier_defaults(int number);

}  // namespace crescendo::launch
