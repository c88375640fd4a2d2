#pragma once

#include "core/value.hpp"
#include "scheduler/space/search_space.hpp"

namespace crescendo::launch {

/// `config` as programs and people get it, with whole numbers where the parameter's `q` is one, as W&B has it: a width
/// is 48, and not 48.0. It has the order of the space, as configurations of trials do.
Config with_whole_numbers(Config config, const SearchSpace& space);

}  // namespace crescendo::launch
