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
    /// Throws InvalidInput: with the key "parameters.<name>" if a parameter has infinitely many values, and with the
    /// key "parameters" if there are more points than there can be trials.
    explicit Grid(SearchSpace space);

    /// Number of points: the product of the numbers of values.
    std::int32_t size() const { return size_; }

    /// The configuration of a point in [0, size()). The last parameter varies fastest. Nothing if a constraint does not
    /// allow it. Of points that differ only in absent parameters, only the first has a configuration.
    std::optional<Config> at(std::int32_t point) const;

    /// Number of points that have a configuration. Without conditions and constraints, these are all points. In a grid
    /// of more than a million points, all are counted too.
    std::int32_t num_configurations() const;

    /// The point of a configuration, if it is one of the grid.
    std::optional<std::int32_t> point_of(const Config& config) const;

  private:
    SearchSpace space_;
    std::vector<FiniteValues> axes_;  // one for each parameter; a derived one has a single value that is not used
    std::int32_t size_ = 1;
};

}  // namespace crescendo
