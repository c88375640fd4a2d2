#pragma once

#include <cstdint>
#include <set>

#include "scheduler/samplers/sampler.hpp"
#include "scheduler/space/grid.hpp"

namespace crescendo {

/// A permutation of [0, size) that a seed gives. It takes no memory: a Feistel network over the next power of 4, walked
/// until it is back inside (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002).
class Permutation {
  public:
    Permutation(std::uint32_t size, std::uint64_t seed);

    std::uint32_t operator()(std::uint32_t index) const;

  private:
    std::uint32_t shuffle(std::uint32_t index) const;

    std::uint32_t size_;
    std::uint64_t seed_;
    int half_bits_ = 1;
};

/// Proposes every configuration of a grid once, in an order that the seed gives, and then nothing more.
///
/// A point that a trial has from elsewhere, such as from the record of the sweep, is not proposed again.
class GridSampler : public Sampler {
  public:
    /// Throws InvalidInput where Grid does.
    GridSampler(const SearchSpace& space, std::uint64_t seed);

    std::optional<Proposal> propose(TrialId trial) override;
    void tell(const Trial& trial) override;
    std::unique_ptr<Sampler> clone() const override;

  private:
    Grid grid_;
    Permutation order_;
    std::set<std::int32_t> tried_;  // points that trials have
    std::int32_t next_ = 0;  // all points before this one in the order were tried, or have no configuration
};

}  // namespace crescendo
