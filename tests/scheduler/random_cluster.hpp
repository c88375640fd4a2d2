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
/// As above, where trials grow early and wait for what others try.
SweepSpec random_growing_spec(CounterRandom& random);
/// As above, where trials climb the rungs of asynchronous successive halving.
SweepSpec random_asha_spec(CounterRandom& random);
/// As above, where trials are repetitions.
SweepSpec random_repeated_spec(CounterRandom& random);
/// As above, with parameters and any sampler but `grid`, which ends.
SweepSpec random_searching_spec(CounterRandom& random);

/// A cluster on which everything goes wrong for a while: trials fail, end, report twice or at the
/// wrong time, slots come and go. Then it calms down, so that a sweep with a run cap ends by itself.
class RandomCluster {
  public:
    explicit RandomCluster(std::uint64_t seed, SweepSpec (*draw)(CounterRandom&) = random_spec)
        : random_(seed, 0), spec_(draw(random_)), books_(spec_) {}

    /// Is called after every event.
    std::function<void(const Sweep&)> watch = [](const Sweep&) {};
    /// The part of the rough events in which a running trial tells how long its steps take, besides the few that there
    /// are anyway.
    double share_of_times = 0;
    /// The part of the rough events that are a user's stops, beside the few that there are anyway.
    double share_of_stops = 0;
    /// The part of the rough events that are about the end of a session, or of the sweep's time.
    double share_of_ends = 0;

    /// To the end, and twice beyond it, where there is more to do.
    void play();

    const std::vector<Event>& events() const { return events_; }
    /// The actions of each event, a line each.
    std::string log() const;
    const Sweep& sweep() const { return books_.sweep(); }
    /// As the sweep began; its limits may have changed since.
    const SweepSpec& spec() const { return spec_; }

  private:
    void play_to_the_end();
    /// With what the sampler proposes after it.
    void happen(const Event& event);
    void take(const Event& event);
    Event rough_event();
    /// What brings the end of a session closer.
    Event some_end();
    Event calm_event();
    Event next_report();
    /// Of the present group of a running trial.
    Event some_times();
    /// Of the present group or of an older one, and sometimes with what cannot be.
    TrialRegrouped some_regroup();
    /// Of the present group or of an older one, whether the trial has reported or not.
    TrialTimed some_start();
    /// Many programs do not know how many samples they have.
    std::optional<double> some_samples();
    /// Some trials are faster than others, and some reports have no clock.
    TrialReported report_of(TrialId trial, std::int64_t resource);
    /// Of any scaling, with stragglers, and sometimes with what cannot be.
    Steps some_steps(const Trial& trial);
    LimitsChanged some_limits();
    /// New slots, or some that were lost before.
    Event some_join();
    Event some_loss();
    /// Of one worker, of another group's, or of all.
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
