#pragma once

#include <vector>

#include "launch/sweep_file/keys/overrides.hpp"

namespace crescendo::launch {

/// Version of the sweep file's defaults. It is increased when the default of a key that affects trials changes, or the
/// choice behind `method: auto` and `bayes`. A journal has the version with which its sweep began; older journals have
/// none, which means 1.
inline constexpr int present_defaults = 10;

/// The defaults of that version that differ from today's. Keys in the sweep file keep their values. Files without the
/// key's section stay as they are, because their defaults did not change.
std::vector<Override> earlier_defaults(int number);

}  // namespace crescendo::launch
