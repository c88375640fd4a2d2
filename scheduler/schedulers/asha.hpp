#pragma once

#include <vector>

#include "scheduler/schedulers/brackets.hpp"
#include "scheduler/schedulers/cut.hpp"
#include "scheduler/schedulers/scheduler.hpp"

namespace crescendo {

/// Asynchronous successive halving (Li et al., "A System for Massively Parallel Hyperparameter Tuning", MLSys 2020) in
/// its stopping variant: a trial is judged when it arrives at a rung, among those that arrived before it.
///
/// With `Rule::rank`, a trial continues if it is among the best max(1, floor(n / eta)) of the n results at the rung so
/// far, its own included. `Rule::percentile` is the rule of Ray Tune's AsyncHyperBandScheduler: a trial continues
/// unless it is worse than the linearly interpolated 1/eta quantile of the losses before its own; the first trial
/// always continues. If so many have diverged that the quantile is infinite, further diverged trials stop, unless
/// `keep_diverged` is on.
///
/// With several brackets, this is asynchronous Hyperband. `fifo` has only the top rung.
class Asha final : public Scheduler {
  public:
    /// `spec` is valid.
    explicit Asha(const SweepSpec& spec);

    int begin(TrialId trial) override { return brackets_.draw(trial); }
    Judgement report(const Trial& trial) override;
    void fail(const Trial& trial) override;
    void retry(const Trial& trial) override;
    Resource next_milestone(int bracket, int rungs_survived) const override {
        return brackets_.milestone(bracket, rungs_survived);
    }
    std::vector<RungSize> rungs() const override { return brackets_.sizes(); }

    /// Whether the next rung is the one at the maximum resource, where nothing is decided.
    bool is_top(int bracket, int rungs_survived) const { return brackets_.is_top(bracket, rungs_survived); }

  private:
    bool survives(Cut& rung, const Result& result) const;
    void insert(Cut& rung, const Result& result) const;
    std::size_t num_best_of(std::size_t n) const;

    Rule rule_;
    bool keeps_diverged_;
    std::size_t eta_;
    Brackets<Cut> brackets_;
};

}  // namespace crescendo
