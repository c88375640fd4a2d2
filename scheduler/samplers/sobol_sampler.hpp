#pragma once

#include <cstdint>

#include "scheduler/samplers/sampler.hpp"
#include "scheduler/samplers/sobol_sequence.hpp"
#include "scheduler/space/search_space.hpp"

namespace crescendo {

/// Proposes the points of a scrambled Sobol sequence, one after the other, except those that a constraint forbids.
///
/// A proposal is a pure function of (seed, trial), as with RandomSampler. Every second or every eighth point would not
/// fill the space, because the bits of a point's number choose between halves of it. So if only some trials take
/// points, number these trials on their own, and give them a sequence of their own.
class SobolSampler : public Sampler {
  public:
    SobolSampler(SearchSpace space, std::uint64_t seed);

    /// Another sequence of the same seed; `number` counts these from 0.
    static SobolSampler further(SearchSpace space, std::uint64_t seed, int number);

    std::optional<Proposal> propose(TrialId trial) override;
    std::unique_ptr<Sampler> clone() const override;

  private:
    std::optional<Config> next_config();

    SearchSpace space_;
    std::uint64_t seed_;
    SobolSequence sequence_;
    std::int32_t num_passed_ = 0;  // trials whose points lie before next_
    std::uint32_t next_ = 0;       // index of the point to look at next
};

}  // namespace crescendo
