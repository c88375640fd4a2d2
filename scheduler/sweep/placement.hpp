#pragma once

#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/growth/growth.hpp"
#include "scheduler/schedulers/any_scheduler.hpp"
#include "scheduler/slots/allocator.hpp"
#include "scheduler/slots/slot_doubts.hpp"
#include "scheduler/sweep/demand.hpp"
#include "scheduler/sweep_spec.hpp"
#include "scheduler/trial.hpp"

namespace crescendo {

/// A trial in the line for free slots. Trials that survived more rungs come first, then lower ids.
struct InLine {
    int rungs_survived;  ///< for a paused trial, includes the rung at which it would be promoted
    TrialId trial;

    friend bool operator<(const InLine& a, const InLine& b) {
        return std::tie(b.rungs_survived, a.trial) < std::tie(a.rungs_survived, b.trial);
    }
};

/// What else could use free slots, besides the trials that wait for them.
struct Prospects {
    const AnyScheduler& scheduler;     ///< names the paused trial that may be promoted
    const std::vector<Trial>& trials;  ///< all trials, by id
    bool can_start;                    ///< whether another trial may start
    bool awaits_proposal = false;      ///< whether slots are kept for a trial whose proposal will come as an event
};

/// How a trial's group changes at its report.
enum class GroupChange {
    none,
    regrouped,
    leaves,  ///< the trial must leave its slots, and wait for as many as it is entitled to
};

/// Decides which trials get which slots, and keeps the line of trials that wait for slots.
///
/// A trial in line is reluctant if the free slots would be enough for it only with those that may be to blame for its
/// failures, while the sweep has others. Then the line continues without it.
///
/// Placement changes only a trial's group and `wants_workers`. `Sweep` decides which trials run, and when.
class Placement {
  public:
    /// `spec` is valid.
    explicit Placement(const SchedulerSpec& spec);

    /// Adds free slots. The first slots to join fix max_workers, unless it was given.
    void join(const std::vector<Slot>& slots);

    /// Removes slots, which must be free.
    void lose(const std::set<SlotId>& slots);

    void change_max_concurrent(std::optional<int> max_concurrent) { spec_.max_concurrent = max_concurrent; }

    /// Puts a trial that has no slots in line.
    void enter_line(const Trial& waiting);
    void leave_line(const Trial& waiting);

    std::optional<TrialId> first_waiting() const;

    /// The trial that gets free slots next: one that waits and is not reluctant, or the one that may be promoted.
    std::optional<InLine> next_in_line(const Prospects& prospects) const;

    /// The first reluctant trial that takes the free slots rather than leave them idle: it has more than one attempt
    /// left.
    std::optional<InLine> next_reluctant() const;

    /// Whether the trial, if it paused now and were promoted, would get slots before all others.
    bool would_be_next(const Trial& trial, const Prospects& prospects) const;

    /// Whether there are free slots and one more trial may run.
    bool can_place() const { return pool().num_free() > 0 && may_run_another(); }

    /// Gives slots to a trial that has none, and is next in line or reluctant. If possible, avoids slots that may be to
    /// blame for the trial's failures, and their nodes. Returns whether there were enough besides `num_reserved`.
    bool take_slots(Trial& trial, int rungs_survived, int num_reserved = 0);

    /// Gives slots to a new trial, but leaves those that running trials have a claim on. Returns whether there were
    /// enough.
    bool take_slots_for_new(Trial& trial);

    /// Frees the slots that take_slots() or take_slots_for_new() gave to the trial.
    void return_slots(Trial& trial);

    /// Counts a trial that was given slots as running, and sets its group's batch.
    void note_running(Trial& trial);

    /// Learns from a report of a running trial. `trial` must still have the state of its previous report.
    void note_report(const Trial& trial, const TrialReported& report) {
        growth_.note(trial, report);
        if (doubts_.any()) {
            doubts_.note_progress(trial.id, trial.group.slots, pool());
        }
    }

    /// `suspect`, a slot of the running trial, may be to blame for a failure, which has already been counted.
    void note_failure(const Trial& trial, SlotId suspect, bool is_last_attempt) {
        doubts_.note_failure(trial.id, suspect, is_last_attempt, pool());
    }

    void note_end(const Trial& trial) { doubts_.forget(trial.id); }

    const SlotDoubts& doubts() const { return doubts_; }

    /// Learns the time of a running trial's first steps, before its first report. Returns whether that is news.
    bool note_start(const Trial& trial, const TrialTimed& event) { return growth_.note(trial, event); }

    /// Learns how long a running trial stood still when its group changed.
    void note_regroup(const Trial& trial, const TrialRegrouped& event) { growth_.note(trial, event); }

    const Growth& growth() const { return growth_; }

    /// Running trials whose groups may change now, between their reports (Growth::take_waiting()).
    std::set<TrialId> take_waiting_to_grow() { return growth_.take_waiting(); }

    /// Whether the trial grew in vain: it reported the times of its first steps, and has become slower since.
    bool grew_in_vain(const Trial& trial) const {
        return fastest_size(trial) < static_cast<int>(trial.group.slots.size());
    }

    /// Changes the trial's group at its own report, or when its wait for another trial's try ends: it gives slots back,
    /// grows, or gets surplus slots. `at_milestone`: it has just survived a rung, so it has a checkpoint and can wait.
    GroupChange adapt(Trial& trial, bool at_milestone, const Prospects& prospects);

    /// Removes the workers on `lost` slots from a running trial, which begins a new generation with the others. If no
    /// worker would be left, changes nothing. Returns whether any is left.
    bool remove_workers(Trial& trial, const std::set<SlotId>& lost);

    /// Frees the slots of a trial that no longer runs.
    void leave(Trial& trial);

    /// Number of workers that a trial is entitled to after it survived `rungs_survived` rungs.
    int target_workers(int rungs_survived) const { return allocator_.target_workers(rungs_survived); }

    const SlotPool& pool() const { return allocator_.pool(); }
    int max_workers() const { return allocator_.max_workers(); }
    /// Number of workers with which a trial starts.
    int starting_size() const { return allocator_.starting_size(); }
    int num_running() const { return num_running_; }

  private:
    static InLine once_promoted(const Trial& trial) { return {trial.rungs_survived + 1, trial.id}; }
    bool new_trials_come_first(const Prospects& prospects) const;
    bool may_run_another() const { return num_running_ < spec_.max_concurrent.value_or(num_running_ + 1); }
    int num_claimed(int num_missing) const;

    bool change_group(Trial& trial, const Prospects& prospects);
    bool give_back(Trial& trial, const Prospects& prospects);
    bool give_back_to(const std::optional<InLine>& next, Trial& trial);
    bool give_back_idle(Trial& trial, const Prospects& prospects);
    bool undo_growth(Trial& trial);
    int fastest_size(const Trial& trial) const;
    bool grow(Trial& trial, const Prospects& prospects);
    bool grow_to(Trial& trial, int offered);
    bool wants_workers(const Trial& trial) const;
    bool add_surplus(Trial& trial, const Prospects& prospects);
    bool is_for_others(const Prospects& prospects) const;
    bool is_short(const Trial& trial) const;

    const std::vector<SlotId>& refused_by(const InLine& next) const;
    int num_usable(const InLine& next) const;
    int num_free_of(const std::vector<SlotId>& slots) const;
    bool is_reluctant(const InLine& next) const;
    std::set<InLine>::const_iterator first_willing() const;
    const std::vector<SlotId>& avoided_by(const Trial& trial, int count) const;

    void regroup(Trial& trial);
    void update_batch(Trial& trial) const;

    SchedulerSpec spec_;
    Allocator allocator_;
    Growth growth_;
    Demand demand_;
    SlotDoubts doubts_;
    std::set<InLine> waiting_;
    int num_running_ = 0;
};

}  // namespace crescendo
