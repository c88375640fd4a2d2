#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/value.hpp"
#include "scheduler/space/finite_values.hpp"
#include "scheduler/space/search_space.hpp"

namespace crescendo {

/// All configurations of a search space whose parameters have finitely many values.
class Grid {
  public:
    /// Throws InvalidInput (key "parameters.<name>") at a parameter with infinitely many values, and (key "parameters")
    /// if there are more points than there can be trials.
    explicit Grid(SearchSpace space);

    /// Number of points: the product of the numbers of values.
    std::int32_t size() const { return size_; }

    /// The configuration of a point in [0, size()). The last parameter varies first. Nothing if a constraint does not
    /// allow it, and at all but the first point of those that differ in absent parameters only.
    std::optional<Config> at(std::int32_t point) const;

    /// Number of points that have a configuration. Without conditions and constraints these are all, and so they count
    /// in a grid of more than a million.
    std::int32_t num_configurations() const;

    /// The point of a configuration, if it is one of the grid.
    std::optional<std::int32_t> point_of(const Config& config) const;

  private:
    SearchSpace space_;
    std::vector<FiniteValues> axes_;  // one for each parameter; a derived one has a single value that nobody sees
    std::int32_t size_ = 1;
};

}  // namespace crescendo
