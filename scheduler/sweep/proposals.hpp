#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/samplers/any_sampler.hpp"
#include "scheduler/samplers/tried.hpp"
#include "scheduler/sweep_spec.hpp"
#include "scheduler/trial.hpp"

namespace crescendo {

/// Where the configurations of new trials come from: those that events proposed come first, then the initial ones of
/// the sweep file, then the sampler's.
///
/// A configuration that was tried is not tried again while the search space, if it is finite, has others. What an event
/// or the sweep file says is tried in any case.
class Proposals {
  public:
    Proposals(const SweepSpec& spec, AnySampler sampler)
        : space_(spec.space),
          seed_(spec.seed),
          initial_(spec.initial),
          tried_(spec.space),
          sampler_(std::move(sampler)),
          are_events_(sampler_->proposes_by_events()) {}

    /// Keeps what an event proposes for a trial that has not started. If there is a proposal for it, that one stays.
    void add(TrialId trial, Proposal proposal) { from_events_.try_emplace(trial, std::move(proposal)); }

    /// The first trial, of `from` and those after it, that the sampler will be asked for.
    TrialId first_without(TrialId from) const {
        while (has(from)) {
            ++from.value;
        }
        return from;
    }

    /// Gives a new trial its configuration. Returns whether there is one.
    bool configure(Trial& trial);

    /// The trial that configure() had nothing for, and that waits for an event with its proposal.
    std::optional<TrialId> awaited() const { return awaited_; }

    /// What the sampler proposes for the awaited trial. Nothing if none is awaited, or if it has nothing yet.
    std::optional<Proposal> propose();

    /// Whether `next`, the next trial to start, will have no proposal as things are.
    bool are_exhausted(TrialId next) const {
        return sampler_has_nothing_ || (have_ended_ && !has(next));
    }

    /// Forgets that the sampler had nothing, because it may have learned since then.
    void ask_again() {
        sampler_has_nothing_ = false;
        awaited_.reset();
    }

    /// The sampler is asked no more.
    void end() { have_ended_ = true; }
    void begin_again() { have_ended_ = false; }

    /// As Sampler::tell().
    void tell(const Trial& trial) {
        tried_.tell(trial);
        sampler_->tell(trial);
        if (are_events_) {
            news_.insert(trial.id);
        }
    }

    /// The trials that were told of since the last call, if the sampler proposes by events.
    std::set<TrialId> take_news() { return std::exchange(news_, {}); }

  private:
    /// Whether the trial has a proposal that the sampler is not asked for.
    bool has(TrialId trial) const { return from_events_.contains(trial) || is_initial(trial); }
    bool is_initial(TrialId trial) const { return static_cast<std::size_t>(trial.value) < initial_.size(); }
    Config initial_config(TrialId trial);
    std::optional<Proposal> ask(TrialId trial);

    SearchSpace space_;
    std::uint64_t seed_;
    std::vector<Config> initial_;
    Tried tried_;
    AnySampler sampler_;
    bool are_events_;
    std::map<TrialId, Proposal> from_events_;  // for trials that have not started
    std::set<TrialId> news_;
    std::optional<TrialId> awaited_;
    bool sampler_has_nothing_ = false;
    bool have_ended_ = false;
};

}  // namespace crescendo
