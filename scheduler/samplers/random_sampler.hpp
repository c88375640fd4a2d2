#pragma once

#include <cstdint>

#include "scheduler/samplers/sampler.hpp"
#include "scheduler/space/search_space.hpp"

namespace crescendo {

/// Draws every configuration at random.
///
/// A proposal is a pure function of (seed, trial), so the n-th trial of a sweep does not depend on the order in which
/// reports arrive.
class RandomSampler : public Sampler {
  public:
    RandomSampler(SearchSpace space, std::uint64_t seed);

    std::optional<Proposal> propose(TrialId trial) override;
    std::unique_ptr<Sampler> clone() const override;

  private:
    SearchSpace space_;
    std::uint64_t seed_;
};

}  // namespace crescendo
