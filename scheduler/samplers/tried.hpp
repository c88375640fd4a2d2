#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/value.hpp"
#include "scheduler/space/finite_values.hpp"
#include "scheduler/space/search_space.hpp"
#include "scheduler/trial.hpp"

namespace crescendo {

/// The configurations that trials began with, if the search space has finitely many.
class Tried {
  public:
    explicit Tried(const SearchSpace& space);

    /// Takes the configuration of a trial. A trial that has reported adds nothing, because it was told before.
    void tell(const Trial& trial);

    /// Number of different configurations that were told. Always 0 if the space has infinitely many.
    std::size_t size() const { return keys_.size(); }

    /// Whether a trial began with `config`, although the space has others that no trial began with. Always false if the
    /// space has infinitely many.
    bool repeats(const Config& config) const { return repeats(config, size()); }

    /// As repeats(config), but as it was after the first `size` different configurations.
    bool repeats(const Config& config, std::size_t size) const;

  private:
    struct Axis {
        std::string name;
        std::optional<FiniteValues> values;  // none: the parameter is derived
    };

    /// A number for the configuration. Two configurations share one only in a space of more than 2^64. Nothing if a
    /// value is not one of its parameter's.
    std::optional<std::uint64_t> key_of(const Config& config) const;

    std::vector<Axis> axes_;  // of all parameters, in their order; empty in an infinite space
    double most_ = 1;         // upper bound of the number of configurations
    std::map<std::uint64_t, std::size_t> keys_;  // each with the number of keys before it
};

}  // namespace crescendo
