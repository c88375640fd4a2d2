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

/// Decides what more workers are worth to a trial (`scheduler.grow_when`).
///
/// A trial's goodput is its throughput (StepTimes) times the efficiency of its batch (Qiao et al., Pollux, OSDI 2021).
/// A sample in a batch b is worth (noise + b0) / (noise + b) of one in the trial's first batch b0, where `noise` is the
/// gradient noise scale that the trial reports. With `batch: global`, the efficiency is 1.
///
/// Changing a group costs the time for which it stands still (RegroupTimes).
///
/// A size that was never measured has to be tried. If a try costs next to nothing, all trials may try at once.
/// Otherwise one trial tries at a time, and the others wait for its new step time. A size that was measured only once,
/// and was slower, is tried once more: one straggling step would keep all trials of that shape from growing. With
/// `goodput`, a size beyond the largest one is tried, if that one was a gain, even if it gains only if its prediction
/// is wrong, within its error: a try costs two regroups, but slots that idle until the end cost more.
class Growth {
  public:
    explicit Growth(const SchedulerSpec& spec);

    /// Takes a report of the trial. `trial` must still have the state of its previous report.
    void note(const Trial& trial, const TrialReported& report) {
        forget(trial.id);
        if (report.steps.seconds) {
            note_steps(trial, report);
        }
    }

    /// Takes the time of a trial's first steps, before its first report. Returns whether that is news: the values make
    /// sense, and the trial's group has not reported such a time before.
    bool note(const Trial& trial, const TrialTimed& timed);

    /// Takes how long the trial, which already has its new group, stood still.
    void note(const Trial& trial, const TrialRegrouped& regrouped);

    /// Which of `sizes` the trial should grow to. `sizes` is ascending and not empty, and each size is larger than the
    /// trial's group. Returns the trial's present size if none is worth it, or if the trial has to wait for another
    /// trial's try (see take_waiting()).
    int choose(const Trial& trial, const std::vector<int>& sizes);

    /// Whether the trial would choose any of `sizes` if no other trial were trying one.
    bool wants(const Trial& trial, const std::vector<int>& sizes) const;

    /// The trial grows from the size of its group to `size` now.
    void note_growth(const Trial& trial, int size);

    /// The trial reports, or leaves its slots: its own try, or its wait for another trial's try, is over.
    void forget(TrialId trial) {
        end_try(trial);
        waiting_.erase(trial);
    }

    /// The trials that waited for another trial's try, once that try is over: they may choose again now. If groups do
    /// not regroup in memory, no trial waits, because its group must not change between its reports.
    std::set<TrialId> take_waiting() { return trying_ ? std::set<TrialId>{} : std::exchange(waiting_, {}); }

    /// The batch of the trial with a group of `size`, in multiples of its first batch.
    ///
    /// An adaptive batch doubles while a sample in it is worth at least `min_efficiency` of one in the first batch, and
    /// while no worker gets more samples than at first. Without a noise scale it stays the same. It becomes smaller
    /// only with the group, because estimates of the noise scale scatter. If trials may grow early, their batches stay
    /// the same before the first rung: otherwise the rung would compare trials with different batches.
    int batch_multiple(const Trial& trial, int size) const;

    /// Whether the trial is known to be as fast with `size` workers, which are fewer than it has.
    bool is_as_fast_with(const Trial& trial, int size) const;

    /// The number of workers, at least `least` and fewer than the trial has, with which the trial was measured to be
    /// fastest; as many as it has if no such number is faster by enough to pay for the change.
    int fastest_size(const Trial& trial, int least) const;

    /// Whether the trial has reported the time of its first steps (TrialTimed).
    bool is_timed(TrialId trial) const { return times_.knows(trial) && reported(trial).begun_generation; }

    /// Samples per second of the trial with its largest group, divided by those with its first group; nothing if it
    /// never grew, or if its reports have no step times.
    std::optional<double> measured_speedup(TrialId trial) const { return times_.measured_speedup(trial); }

    /// The speedup over its first group that was predicted when the trial last grew; nothing if none was predicted.
    std::optional<double> predicted_speedup(TrialId trial) const;

  private:
    struct Reported {
        Setting at;
        int batch_multiple = 1;
        int generation = 0;
        int timed_generation = 0;             ///< the last generation with a TrialRegrouped
        std::optional<int> begun_generation;  ///< the last generation with a TrialTimed
        Setting first;
        double noise_scale = 0;                      ///< samples; 0: unknown
        std::optional<double> samples_per_resource;  ///< in units of the batch
        std::optional<double> predicted_speedup;     ///< over the trial's first group
    };
    enum class Tries { allowed, forbidden };  ///< tries of sizes that were never measured

    bool is_doubtful(const Speedup& gain) const;
    bool is_hopeful(const Trial& trial, int size) const;
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
    HopefulTries hopeful_tries_;
    Resource max_;
    BatchPolicy batch_;
    double min_efficiency_;
    std::optional<double> expected_regroup_;
    StepTimes times_;
    RegroupTimes regroup_times_;
    std::vector<Reported> reported_;  // by trial
    std::optional<double> samples_per_resource_;  // from the last report that gave it, for trials without reports
    std::optional<TrialId> trying_;   // the trial that tries an unmeasured size, until its step time is known
    std::set<TrialId> waiting_;       // the trials that would grow if that one were not trying
};

}  // namespace crescendo
