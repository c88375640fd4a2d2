#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/trial.hpp"

namespace crescendo {

enum class Verdict {
    go_on,
    pause,     ///< the trial gives way to others and may be promoted later
    stop,      ///< the trial lost at a rung
    complete,  ///< the trial reached the maximum resource, where no trial is judged
};

struct Judgement {
    Verdict verdict;
    int rungs_survived;  ///< number of rungs that the trial has survived since it first started
};

/// How many results there are at a milestone.
struct RungSize {
    Resource milestone;
    std::size_t size = 0;
};

/// The loss by which a configuration was judged, if trials are repetitions of configurations (`repeat`).
struct JudgedConfiguration {
    TrialId configuration;  ///< counted from 0
    Resource milestone;
    double loss;
};

/// Decides which trials continue. It knows nothing about slots.
///
/// A trial is either judged for good when it reports, or paused until it is promoted or eliminated.
class Scheduler {
  public:
    virtual ~Scheduler() = default;

    /// A new trial begins. Returns its bracket.
    virtual int begin(TrialId) { return 0; }

    /// Judges a trial's new report at every milestone that it has reached beyond the rungs it survived, lowest first,
    /// until one stops or pauses the trial. A paused trial that was promoted is judged again, in case it had trained
    /// ahead.
    virtual Judgement report(const Trial& trial) = 0;

    /// The trial failed for good: it counts as the worst of its next rung.
    virtual void fail(const Trial& trial) = 0;

    /// Whether a failed trial can still take its place in the rung that it was training to.
    virtual bool can_retry(const Trial&) const { return true; }

    /// A failed trial, which can be retried, trains to its next rung again. It no longer counts as the worst there, but
    /// what was decided while it did stays.
    virtual void retry(const Trial&) {}

    /// A trial that is not paused ends before its next rung, because it is complete or its user stopped it.
    virtual void finish(const Trial&) {}

    /// A paused trial will not continue, because it is complete or its user stopped it. What it reported still counts.
    virtual void withdraw(const Trial&) {}

    /// The paused trial to continue next: highest rung first, then best loss. It may change with every report.
    virtual std::optional<TrialId> promotable() const { return {}; }

    /// Marks the trial that promotable() names as no longer paused.
    virtual void promote() {}

    /// Paused trials that will never be promoted. Each is returned once.
    virtual std::vector<TrialId> take_eliminated() { return {}; }

    /// The configurations that were judged since the last call, if trials are repetitions.
    virtual std::vector<JudgedConfiguration> take_judged() { return {}; }

    /// All trials that have begun have ended, including paused ones: nothing waits for them any more.
    virtual void end_all() {}

    /// At most `run_cap` trials (none: no limit) begin in all, including the `num_begun` that have begun already.
    virtual void change_run_cap(std::optional<int> /*run_cap*/, int /*num_begun*/) {}

    /// As things are, no more trials will begin: rungs that wait for more are decided with the trials they have.
    virtual void close() {}

    /// Milestone at which a trial of `bracket` that survived `rungs_survived` rungs is judged next.
    virtual Resource next_milestone(int bracket, int rungs_survived) const = 0;

    /// Sizes of the rungs at all milestones, lowest first.
    virtual std::vector<RungSize> rungs() const = 0;

  protected:
    Scheduler() = default;
    Scheduler(const Scheduler&) = default;
    Scheduler& operator=(const Scheduler&) = default;
};

}  // namespace crescendo
