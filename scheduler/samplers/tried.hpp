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

/// The configurations that trials began with. It counts those without continuous numbers: all of a finite search space,
/// and in an infinite one those of a choice that leaves out all continuous numbers. Multiples of q in an infinite range
/// (q_normal, q_log_normal) are not continuous.
class Tried {
  public:
    explicit Tried(const SearchSpace& space);

    /// Takes the configuration of a trial. A trial that has reported adds nothing, because it was told before.
    void tell(const Trial& trial);

    /// Whether the space has finitely many configurations, so that all of them count.
    bool is_finite() const { return is_finite_; }

    /// Number of different configurations that were told and count.
    std::size_t size() const { return keys_.size(); }

    /// Whether a trial began with `config`, which counts, although the space has others that no trial began with.
    bool repeats(const Config& config) const { return repeats(config, size()); }

    /// As repeats(config), but as it was after the first `size` different configurations.
    bool repeats(const Config& config, std::size_t size) const;

  private:
    struct Axis {
        std::string name;
        bool is_derived;                     // from the others
        std::optional<FiniteValues> values;  // none if the number is continuous
    };

    /// A number for the configuration. Two configurations share one only in a space of more than 2^64. Nothing if it
    /// does not count, or if a value is not one of its parameter's.
    std::optional<std::uint64_t> key_of(const Config& config) const;

    std::vector<Axis> axes_;  // of all parameters, in their order
    bool is_finite_ = true;
    double most_ = 1;  // upper bound of the number of configurations; infinity also if a finite space has too many
    std::map<std::uint64_t, std::size_t> keys_;  // each with the number of keys before it
};

}  // namespace crescendo
