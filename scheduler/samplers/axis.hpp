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
    double cell = 0;  ///< of finitely many values: the mean length of the coordinates that give one of them
    /// Of a categorical parameter: the coordinate of each value that it can have, as point_of() gives it. Ascending.
    std::vector<double> categories{};

    /// Of a discrete number.
    std::optional<Distribution> discrete{};

    /// Whether a value has more coordinates than one.
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
