#pragma once

#include <memory>
#include <optional>

#include "scheduler/samplers/sampler.hpp"

namespace crescendo {

/// Stands for a sampler that is another program. The launcher asks the program, so this class proposes nothing.
class ProgramSampler : public Sampler {
  public:
    std::optional<Proposal> propose(TrialId) override { return {}; }
    bool proposes_by_events() const override { return true; }
    std::unique_ptr<Sampler> clone() const override { return std::make_unique<ProgramSampler>(*this); }
};

}  // namespace crescendo
