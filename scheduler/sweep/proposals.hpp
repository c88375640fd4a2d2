#pragma once

#include <map>
#include <utility>

#include "core/ids.hpp"
#include "core/value.hpp"
#include "scheduler/samplers/any_sampler.hpp"
#include "scheduler/trial.hpp"

namespace crescendo {

/// Where the configurations of new trials come from: those that events proposed come first, then the sampler's.
class Proposals {
  public:
    explicit Proposals(AnySampler sampler) : sampler_(std::move(sampler)) {}

    /// Keeps what an event proposes for a trial that has not started. If there is a proposal for it, that one stays.
    void add(TrialId trial, Config config) { from_events_.try_emplace(trial, std::move(config)); }

    /// Gives a new trial its configuration. Returns whether there is one.
    bool configure(Trial& trial);

    /// Whether the sampler had nothing when it was asked last.
    bool are_exhausted() const { return sampler_has_nothing_; }

    /// Forgets that the sampler had nothing, because it may have learned since then.
    void ask_again() { sampler_has_nothing_ = false; }

    /// As Sampler::tell().
    void tell(const Trial& trial) { sampler_->tell(trial); }

  private:
    AnySampler sampler_;
    std::map<TrialId, Config> from_events_;  // for trials that have not started
    bool sampler_has_nothing_ = false;
};

}  // namespace crescendo
