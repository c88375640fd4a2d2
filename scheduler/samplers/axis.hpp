#pragma once

#include <vector>

#include "scheduler/space/search_space.hpp"

namespace crescendo {

/// How a model sees one coordinate of a search space.
struct Axis {
    bool is_categorical = false;
    double cell = 0;  ///< a discrete parameter: the mean length of the coordinates that give one value
    /// Of a categorical parameter: the coordinate of each value that it can have, as point_of() gives it. Ascending.
    std::vector<double> categories{};

    static std::vector<Axis> all_of(const SearchSpace& space);
};

}  // namespace crescendo
