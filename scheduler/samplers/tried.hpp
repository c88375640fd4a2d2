#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/value.hpp"
#include "scheduler/space/finite_values.hpp"
#include "scheduler/space/search_space.hpp"

namespace crescendo {

/// The configurations that trials began with, if the search space has finitely many.
class Tried {
  public:
    explicit Tried(const SearchSpace& space);

    void insert(const Config& config);

    /// Whether a trial began with `config`, although the space has others that no trial began with. Always false if the
    /// space has infinitely many.
    bool repeats(const Config& config) const;

  private:
    struct Axis {
        std::string name;
        std::optional<FiniteValues> values;  // none: the parameter is derived
    };

    /// A number for the configuration. Two share one only in a space of more than 2^64. Nothing if a value is none of
    /// its parameter's.
    std::optional<std::uint64_t> key_of(const Config& config) const;

    std::vector<Axis> axes_;  // of all parameters, in their order; none in an infinite space
    double most_ = 1;         // at least the number of configurations
    std::set<std::uint64_t> keys_;
};

}  // namespace crescendo
