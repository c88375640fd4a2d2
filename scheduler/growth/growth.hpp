#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/events.hpp"
#include "scheduler/growth/regroup_times.hpp"
#include "scheduler/growth/step_times.hpp"
#include "scheduler/sweep_spec.hpp"
#include "scheduler/trial.hpp"

namespace crescendo {

/// What more workers are worth to a trial (`scheduler.grow_when`).
///
/// Its goodput is its throughput, from StepTimes, times the efficiency of its batch (Qiao et al., Pollux, OSDI 2021). A
/// sample in a batch b is worth (noise + b0) / (noise + b) of one in the trial's first batch b0, where `noise` is the
/// gradient noise scale that the trial reports. With batch: global it is 1.
///
/// A change of the group costs the time for which it stands still, from RegroupTimes.
///
/// What nobody measured has to be tried. If that costs next to nothing, all trials may try at once. Otherwise they try
/// one at a time, and the others wait until that one tells what it brings. A size that made a trial slower the only
/// time that it was measured is tried once more: one straggling step would keep all trials of that shape from growing.
/// With goodput, a size after the largest one that was a gain is tried even if its prediction would have to be wrong,
/// within its error, for another gain: a try costs two regroups, and slots that idle until the end cost more.
class Growth {
  public:
    explicit Growth(const SchedulerSpec& spec);

    /// Takes a report of the trial, which still has the state of the report before.
    void note(const Trial& trial, const TrialReported& report) {
        forget(trial.id);
        if (report.steps.seconds) {
            note_steps(trial, report);
        }
    }

    /// Takes how long the first steps of the trial take, which has not reported yet. Returns whether that is news: its
    /// group has not told before, and what it tells can be.
    bool note(const Trial& trial, const TrialTimed& timed);

    /// Takes for how long the trial, which has its new group, stood still.
    void note(const Trial& trial, const TrialRegrouped& regrouped);

    /// To which of `sizes` (ascending, more workers than the trial has, at least one) the trial should grow; its
    /// present size if none is worth it, or if it has to wait for another trial that tries one (see take_waiting()).
    int choose(const Trial& trial, const std::vector<int>& sizes);

    /// Whether the trial would choose any of `sizes` at a time when no other trial tries one.
    bool wants(const Trial& trial, const std::vector<int>& sizes) const;

    /// The trial grows from the size of its group to `size` now.
    void note_growth(const Trial& trial, int size);

    /// The trial reports, or leaves its slots: it neither tries a size nor waits for another trial that does.
    void forget(TrialId trial) {
        end_try(trial);
        waiting_.erase(trial);
    }

    /// The trials that waited for one that tried, once it does not try any more: they may choose again now. Where
    /// nothing regroups in memory nobody waits, because a group must not change between its trial's reports.
    std::set<TrialId> take_waiting() { return trying_ ? std::set<TrialId>{} : std::exchange(waiting_, {}); }

    /// The batch of the trial with a group of `size`, in multiples of its first batch.
    ///
    /// An adaptive batch doubles while a sample in it is worth at least `min_efficiency` of one in the first batch, and
    /// while no worker gets more samples than at first. Without a noise scale it stays. It becomes smaller only with
    /// the group, since the estimates of the noise scale scatter. Before the first rung it stays where trials may grow
    /// early: the rung would compare trials of different batches.
    int batch_multiple(const Trial& trial, int size) const;

    /// Whether the trial is known to be as fast with `size` workers, fewer than it has.
    bool is_as_fast_with(const Trial& trial, int size) const;

    /// With how many workers, at least `least` and fewer than it has, the trial is measured to be fastest; as many as
    /// it has if none make it faster by so much that the change pays.
    int fastest_size(const Trial& trial, int least) const;

    /// Whether the trial told how long its first steps take (TrialTimed).
    bool is_timed(TrialId trial) const { return times_.knows(trial) && reported(trial).begun_generation; }

    /// What the trial gained in samples a second by its largest group, over the one that it began with; nothing if it
    /// never grew, or if its reports have no step times.
    std::optional<double> measured_speedup(TrialId trial) const { return times_.measured_speedup(trial); }

    /// The same as it was predicted before the trial grew for the last time; nothing if nobody could tell.
    std::optional<double> predicted_speedup(TrialId trial) const;

  private:
    struct Reported {
        Setting at;
        int batch_multiple = 1;
        int generation = 0;
        int timed_generation = 0;             ///< the last one of which TrialRegrouped told
        std::optional<int> begun_generation;  ///< the last one of which TrialTimed told
        Setting first;
        double noise_scale = 0;                      ///< samples; 0: unknown
        std::optional<double> samples_per_resource;  ///< in units of the batch
        std::optional<double> predicted_speedup;     ///< over the trial's first group
    };
    enum class Tries { allowed, forbidden };  ///< of sizes that nobody measured

    bool is_doubtful(const Speedup& gain) const;
    double hoped(const Speedup& gain) const;
    bool is_unsure(const std::optional<Speedup>& gain) const;
    void note_steps(const Trial& trial, const TrialReported& report);
    Reported& entry(TrialId trial);
    void end_try(TrialId trial) {
        if (trying_ == trial) {
            trying_.reset();
        }
    }
    int choose(const Trial& trial, const std::vector<int>& sizes, Tries tries) const;
    Tries tries_of(const Trial& trial, int size) const;
    bool pays(const Trial& trial, int size) const;
    std::optional<Speedup> goodput(const Trial& trial, int from, int to) const;
    std::optional<double> seconds_left(const Trial& trial) const;
    std::optional<double> price(const Trial& trial, int size) const;
    Setting setting(const Trial& trial, int size) const;
    int adaptive_multiple(const Trial& trial, int size) const;
    const Reported& reported(TrialId trial) const { return reported_[static_cast<std::size_t>(trial.value)]; }

    GrowWhen when_;
    Switch second_try_;
    Switch hopeful_tries_;
    Resource max_;
    BatchPolicy batch_;
    double min_efficiency_;
    std::optional<double> expected_regroup_;
    StepTimes times_;
    RegroupTimes regroup_times_;
    std::vector<Reported> reported_;  // by trial
    std::optional<double> samples_per_resource_;  // of the last report that told it, for trials that have not reported
    std::optional<TrialId> trying_;   // who tries a size that nobody measured, and has not told what it brings
    std::set<TrialId> waiting_;       // who would grow if that trial did not try
};

}  // namespace crescendo
