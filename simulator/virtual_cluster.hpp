#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "scheduler/sweep/sweep.hpp"
#include "simulator/learning_curve.hpp"
#include "simulator/simulation_spec.hpp"
#include "simulator/summary.hpp"
#include "simulator/training_times.hpp"

namespace crescendo::simulator {

/// Most units of resource that the trials of a simulation may train in all. Simulating so many takes a few minutes.
inline constexpr std::int64_t most_simulated_units = 200'000'000;

/// Most trials of a simulation. They take about 6 GB of memory.
inline constexpr std::int64_t most_simulated_trials = 10'000'000;

/// Throws InvalidInput (key "run_cap") if there are too many trials to simulate.
void require_few_trials(double num_trials);

/// Throws InvalidInput (key "scheduler.max") if there are too many units of resource to simulate.
void require_few_units(double num_units, const SweepSpec& sweep, std::int64_t most = most_simulated_units);

/// A simulated cluster: the real scheduler, and a queue of future events.
///
/// A running trial trains one epoch after the other and reports after each; the sweep decides at once. Equal inputs
/// give equal summaries. Events with the same time happen in the order in which they were queued.
class VirtualCluster {
  public:
    /// Throws InvalidInput if `sweep` makes no sense, or if neither run_cap nor patience.trials nor `time_budget`
    /// (seconds) ends it. `curves` must outlive the cluster. run() throws InvalidInput once trials have trained more
    /// than `most_units`.
    VirtualCluster(SweepSpec sweep, const SimulationSpec& simulation, int slots, const LearningCurves& curves,
                   TrainingTimes times, std::optional<double> time_budget = {},
                   std::int64_t most_units = most_simulated_units);

    /// From now on, every report goes to `watcher` before the sweep decides about it.
    void watch(std::function<void(const SeenReport&)> watcher) { watcher_ = std::move(watcher); }

    /// From now on, every event goes to `listener`, with its time, before the sweep decides about it.
    void listen(std::function<void(double seconds, const Event&)> listener) { listener_ = std::move(listener); }

    /// From now on, `source` is asked for proposals instead of Sweep::propose(). It must have the same contract.
    void ask(std::function<std::optional<Event>(Sweep&)> source) { source_ = std::move(source); }

    /// From now on, trials report no step times, like programs that do not measure them.
    void tell_no_steps() { tells_steps_ = false; }

    /// Runs the whole sweep. Call it once.
    Summary run();

    const Sweep& sweep() const { return sweep_; }

  private:
    /// Number of steps that a new group trains before its trial reports how long they take.
    static constexpr int num_first_steps = 16;

    enum class Kind { epoch_done, timed, regrouped, failure, time_up };

    struct Occurrence {
        double time;
        std::int64_t sequence;  ///< counts occurrences in the order in which they were queued
        Kind kind;
        TrialId trial;
        int plan;  ///< the trial's plan that queued it; void if the trial has a newer plan. For `timed` and
                   ///< `regrouped`, the generation of the group instead, so that reports do not make it void

        friend bool operator>(const Occurrence& a, const Occurrence& b) {
            return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
        }
    };

    /// How far a trial has trained, as far as the sweep does not know it.
    struct Training {
        Resource resource{0};    ///< resource that its workers have consumed
        Resource checkpoint{0};  ///< resource of its last checkpoint; 0 without one
        bool saves = false;      ///< whether it writes a checkpoint before its next report
        double left = 1;         ///< share of the current epoch that was left at the time `began`
        double began = 0;        ///< time at which it began to train at `speed`
        double speed = 0;        ///< epochs per second
        double clock = 0;        ///< its training clock, up to the last report or failure
        double reported_clock = 0;  ///< its training clock at its last report
        double saved_clock = 0;  ///< its training clock at its last checkpoint
        double worth = 0;         ///< the resource in its first batch that its training was worth
        double saved_worth = 0;   ///< its worth at its last checkpoint
        double counted_from = 0;  ///< time from which on its training clock counts again
        int plan = 0;            ///< number of its current plan; occurrences of earlier plans are void
        RecordedStart first_steps;  ///< what it will report about its first steps, or has reported
        bool has_told_first_steps = false;
    };

    void apply(const Event& event);
    void decide(const Event& event);
    void perform(const StartTrial& action);
    void perform(const ResumeTrial& action);
    void perform(const Regroup& action);
    void perform(const PauseTrial& action);
    void perform(const StopTrial& action);
    void perform(const DropCheckpoint& action);
    void perform(const FinishSweep& action);

    void take(const Occurrence& occurrence);
    void tell_first_steps(TrialId trial, int generation);
    void tell_regroup(TrialId trial, int generation);
    void finish_epoch(TrialId trial);
    int workers_of(TrialId trial) const { return static_cast<int>(sweep_.trial(trial).group.slots.size()); }
    double start_of(TrialId trial);
    void foresee_first_steps(TrialId trial, int generation, double start);
    void begin_epoch(TrialId trial, double wait);
    void go_on(TrialId trial, double wait, double regroup);
    void advance_clock(Training& trial) const;
    void interrupt(Training& trial) const;
    bool reports_at(TrialId trial, Resource resource) const;
    double batch_of(TrialId trial) const;
    std::optional<double> noise_scale_at(Resource resource) const;
    double batch_efficiency(TrialId trial, Resource resource) const;
    Steps steps_of(TrialId trial, Resource resource) const;
    Steps steps_to_come(TrialId trial) const;
    SlotId failed_slot(const Occurrence& occurrence) const;
    void foresee(double seconds, Kind kind, TrialId trial, int plan);
    std::optional<double> seconds_to_failure(TrialId trial, int workers) const;
    bool is_better(double loss) const;
    void note_best(TrialId trial, Resource resource, double loss);
    void look_for_better(const Event& event);
    void note_use();
    void conclude();
    void note_group(std::vector<SlotId> slots, bool is_regroup);
    Training& training(TrialId trial) { return trainings_[static_cast<std::size_t>(trial.value)]; }

    Sweep sweep_;
    SimulationSpec simulation_;
    int slots_;
    const LearningCurves& curves_;
    TrainingTimes times_;
    std::optional<double> time_budget_;
    std::int64_t most_units_;
    std::int64_t num_units_ = 0;  ///< units of resource that trials have trained, also those repeated after failures
    std::function<void(const SeenReport&)> watcher_;
    std::function<void(double, const Event&)> listener_;
    std::function<std::optional<Event>(Sweep&)> source_ = &Sweep::propose;
    bool tells_steps_ = true;  ///< whether trials report how long their steps take
    std::vector<Training> trainings_;
    std::set<std::vector<SlotId>> groups_;  ///< all groups so far, of two or more slots
    std::priority_queue<Occurrence, std::vector<Occurrence>, std::greater<>> future_;
    std::int64_t num_foreseen_ = 0;
    double now_ = 0;
    bool may_have_better_ = false;  ///< with `repeat`: whether a configuration may be better than the best over time
    Summary summary_;
};

}  // namespace crescendo::simulator
