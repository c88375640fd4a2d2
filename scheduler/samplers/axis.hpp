#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "scheduler/space/search_space.hpp"

namespace crescendo {

/// Coordinates are in [0, 1).
inline constexpr double last_coordinate = 1 - 0x1.0p-53;

/// How a model sees one coordinate of a search space.
struct Axis {
    bool is_categorical = false;
    double cell = 0;  ///< if there are finitely many values: mean length of the range of coordinates of a value
    /// For a categorical parameter: the coordinate of each value that it can have, as point_of() gives it. Ascending.
    std::vector<double> categories{};

    /// The distribution of a discrete number; none for other parameters.
    std::optional<Distribution> discrete{};

    /// Whether several coordinates have the same value.
    bool is_discrete() const { return is_categorical || discrete; }

    /// As crescendo::cell_at().
    std::pair<double, double> cell_at(double coordinate) const {
        return discrete ? crescendo::cell_at(*discrete, coordinate) : std::pair(coordinate, coordinate);
    }
    double cell_length_at(double coordinate) const {
        const auto [first, last] = cell_at(coordinate);
        return last - first;
    }

    static std::vector<Axis> all_of(const SearchSpace& space);
};

}  // namespace crescendo
