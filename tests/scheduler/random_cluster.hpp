#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "tests/scheduler/slot_books.hpp"

namespace crescendo {

/// Any valid combination of settings.
SweepSpec random_spec(CounterRandom& random);
/// As above, with trials that grow early and wait for what others try.
SweepSpec random_growing_spec(CounterRandom& random);
/// As above, with trials that climb the rungs of asynchronous successive halving.
SweepSpec random_asha_spec(CounterRandom& random);
/// As above, with repeated configurations.
SweepSpec random_repeated_spec(CounterRandom& random);
/// As above, with parameters and any sampler except `grid`, which runs out of configurations.
SweepSpec random_searching_spec(CounterRandom& random);

/// A cluster on which everything goes wrong for a while: trials fail, end, or report twice or at the wrong time, and
/// slots come and go. Then it calms down, so that a sweep with a run cap ends by itself.
class RandomCluster {
  public:
    explicit RandomCluster(std::uint64_t seed, SweepSpec (*draw)(CounterRandom&) = random_spec)
        : random_(seed, 0), spec_(draw(random_)), books_(spec_) {}

    /// Called after every event.
    std::function<void(const Sweep&)> watch = [](const Sweep&) {};
    /// The share of the rough events in which a running trial reports its step times, in addition to the few that occur
    /// anyway.
    double share_of_times = 0;
    /// The share of the rough events that are stops by a user, in addition to the few that occur anyway.
    double share_of_stops = 0;
    /// The share of the rough events that concern the end of a session or of the sweep's time.
    double share_of_ends = 0;

    /// Plays the sweep to its end, then extends it twice.
    void play();

    const std::vector<Event>& events() const { return events_; }
    /// The actions, one line per event.
    std::string log() const;
    const Sweep& sweep() const { return books_.sweep(); }
    /// As the sweep began; its limits may have changed since.
    const SweepSpec& spec() const { return spec_; }

  private:
    void play_to_the_end();
    /// Takes the event, and what the sampler proposes after it.
    void happen(const Event& event);
    void take(const Event& event);
    Event rough_event();
    /// An event that brings the end of a session closer.
    Event some_end();
    Event calm_event();
    Event next_report();
    /// Times of the present group of a running trial.
    Event some_times();
    /// A regroup of the present group or of an older one, sometimes with impossible values.
    TrialRegrouped some_regroup();
    /// First steps of the present group or of an older one, whether or not the trial has reported.
    TrialTimed some_start();
    /// Many programs do not know how many samples they have.
    std::optional<double> some_samples();
    /// Some trials are faster than others, and some reports have no clock.
    TrialReported report_of(TrialId trial, std::int64_t resource);
    /// Times of any scaling, with stragglers, and sometimes impossible ones.
    Steps some_steps(const Trial& trial);
    LimitsChanged some_limits();
    /// New slots, or some that were lost before.
    Event some_join();
    Event some_loss();
    /// A failure of one worker, of another group's worker, or of all workers.
    TrialFailed some_failure();
    std::optional<SlotId> some_slot();
    TrialId some_running();
    TrialId any_trial();
    double some_loss_value();

    CounterRandom random_;
    SweepSpec spec_;
    SlotBooks books_;
    std::vector<Event> events_;
    std::vector<std::vector<Action>> actions_;
};

}  // namespace crescendo
