#pragma once

#include <vector>

#include "scheduler/space/search_space.hpp"

namespace crescendo {

/// How a model sees one coordinate of a search space.
struct Axis {
    bool is_categorical = false;
    double cell = 0;  ///< a discrete parameter: the mean length of the coordinates that give one value

    static std::vector<Axis> all_of(const SearchSpace& space);
};

}  // namespace crescendo
