#pragma once

#include "core/value.hpp"
#include "scheduler/space/search_space.hpp"

namespace crescendo::launch {

/// `config` in the form for programs and people: values are whole numbers if the parameter's `q` is one, as in W&B, so
/// a width is 48 rather than 48.0. `config` must have the order of the space, as trials' configurations do.
Config with_whole_numbers(Config config, const SearchSpace& space);

}  // namespace crescendo::launch
