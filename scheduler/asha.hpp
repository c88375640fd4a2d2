#pragma once

#include <vector>

#include "core/ids.hpp"
#include "scheduler/rung.hpp"
#include "scheduler/sweep_spec.hpp"

namespace crescendo {

enum class Verdict {
    go_on,
    stop,      ///< lost at a rung
    complete,  ///< reached the top rung, where nobody is judged
};

struct Judgement {
    Verdict verdict;
    int rungs_survived;  ///< in the trial's whole life
};

/// Asynchronous successive halving (Li et al., "A System for Massively Parallel Hyperparameter
/// Tuning", MLSys 2020) in its stopping variant: a trial is judged as it arrives at a rung, among
/// those that came before it.
///
/// `Rule::rank` lets the best floor(n / eta) of the n results so far train on, at least one.
/// `Rule::percentile` is that of Ray Tune's AsyncHyperBandScheduler: a trial trains on unless it is
/// worse than the linearly interpolated 1/eta quantile of the losses before its own; the first one does.
class Asha {
  public:
    /// `spec` is valid. `SchedulerKind::fifo` has no rung but the top one.
    explicit Asha(const SchedulerSpec& spec);

    /// Records `loss` at every milestone that `resource` has crossed since the trial survived
    /// `rungs_survived` rungs, lowest first, up to the one that stops it.
    Judgement report(TrialId trial, int rungs_survived, Resource resource, double loss);

    /// The trial will never reach its next rung: it counts as the worst there.
    void fail(TrialId trial, int rungs_survived);

    /// Lowest first; the last is the top rung, at the maximum resource.
    const std::vector<Rung>& rungs() const { return rungs_; }

  private:
    bool survives(Rung& rung, TrialId trial, double loss) const;

    Rule rule_;
    std::size_t eta_;
    std::vector<Rung> rungs_;
};

}  // namespace crescendo
