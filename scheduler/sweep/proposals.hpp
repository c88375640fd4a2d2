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

/// Gives new trials their configurations: first those that events proposed, then the initial ones of the sweep file,
/// then the sampler's.
///
/// In a finite search space, no configuration is tried twice while there are others. What an event or the sweep file
/// gives is tried in any case. (In an infinite one, tpe, cmaes and gp themselves avoid what was tried.)
class Proposals {
  public:
    Proposals(const SweepSpec& spec, AnySampler sampler)
        : space_(spec.space),
          seed_(spec.seed),
          initial_(spec.initial),
          tried_(spec.space),
          sampler_(std::move(sampler)),
          are_events_(sampler_->proposes_by_events()) {}

    /// Keeps what an event proposes for a trial that has not started. An earlier proposal for it stays.
    void add(TrialId trial, Proposal proposal) { from_events_.try_emplace(trial, std::move(proposal)); }

    /// The first trial, from `from` on, without a proposal from an event or the sweep file: the sampler will be asked.
    TrialId first_without(TrialId from) const {
        while (has(from)) {
            ++from.value;
        }
        return from;
    }

    /// Gives a new trial its configuration. Returns whether there is one.
    bool configure(Trial& trial);

    /// The trial for which configure() had nothing, and which waits for an event with its proposal.
    std::optional<TrialId> awaited() const { return awaited_; }

    /// What the sampler proposes for the awaited trial. Nothing if none is awaited, or if it has nothing yet.
    std::optional<Proposal> propose();

    /// Whether `next`, the next trial to start, has no proposal and will get none, as things are.
    bool are_exhausted(TrialId next) const {
        return sampler_has_nothing_ || (have_ended_ && !has(next));
    }

    /// Forgets that the sampler had nothing, because it may have learned since then.
    void ask_again() {
        sampler_has_nothing_ = false;
        awaited_.reset();
    }

    /// From now on, the sampler is not asked any more.
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

    /// The trials that tell() was called with since the last call, if the sampler proposes by events.
    std::set<TrialId> take_news() { return std::exchange(news_, {}); }

  private:
    /// Whether an event or the sweep file has a proposal for the trial, so the sampler is not asked.
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
