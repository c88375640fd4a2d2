#pragma once

#include <cstdint>
#include <set>

#include "scheduler/samplers/sampler.hpp"
#include "scheduler/space/grid.hpp"

namespace crescendo {

/// A permutation of [0, size), determined by a seed. It needs no table: a Feistel network over the next power of 4,
/// applied until the result is inside (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002).
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

/// Proposes every configuration of a grid once, in an order determined by the seed, and then nothing more.
///
/// A point that a trial got from elsewhere, for example from the sweep's journal, is not proposed again.
class GridSampler : public Sampler {
  public:
    /// Throws InvalidInput if Grid does.
    GridSampler(const SearchSpace& space, std::uint64_t seed);

    std::optional<Proposal> propose(TrialId trial) override;
    void tell(const Trial& trial) override;
    std::unique_ptr<Sampler> clone() const override;

  private:
    Grid grid_;
    Permutation order_;
    std::set<std::int32_t> tried_;  // points of trials
    std::int32_t next_ = 0;  // all points before this one in the order were tried, or have no configuration
};

}  // namespace crescendo
