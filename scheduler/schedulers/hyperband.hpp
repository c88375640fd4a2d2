#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scheduler/schedulers/cut.hpp"
#include "scheduler/schedulers/scheduler.hpp"
#include "scheduler/sweep_spec.hpp"

namespace crescendo {

/// Synchronous successive halving and Hyperband.
///
/// Successive halving (Jamieson & Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter Optimization",
/// AISTATS 2016): all trials pause at a rung until the last of them has arrived; the best max(1, floor(n / eta)) of the
/// n are promoted and the others eliminated. One bracket has all the trials of the sweep.
///
/// Hyperband (Li et al., JMLR 2018): brackets of successive halving with the sizes of `bracket_sizes`; the b-th begins
/// at the b-th milestone. They repeat until the run cap. A bracket begins as soon as the previous one has all its
/// trials, so brackets run side by side if slots are free. The run cap may cut the last one short.
///
/// A trial that fails, or whose program ends by itself, counts as the worst of its next rung and is never promoted. A
/// failed trial can be retried until that rung is decided. A trial that is complete when it would pause takes its place
/// in the ranking there; if that would promote it, it counts as the worst of the next rung. A larger run cap opens
/// further brackets.
///
/// If no more trials will begin, because the sampler has no more proposals, a bracket that is still filling is decided
/// without them.
class Hyperband final : public Scheduler {
  public:
    /// `spec` is valid.
    explicit Hyperband(const SweepSpec& spec);

    int begin(TrialId trial) override;
    Judgement report(const Trial& trial) override;
    void fail(const Trial& trial) override { leave(trial); }
    bool can_retry(const Trial& trial) const override;
    void retry(const Trial& trial) override;
    void finish(const Trial& trial) override { leave(trial); }
    void withdraw(const Trial& trial) override;
    std::optional<TrialId> promotable() const override;
    void promote() override;
    std::vector<TrialId> take_eliminated() override { return std::exchange(eliminated_, {}); }
    void end_all() override;
    void change_run_cap(std::optional<int> run_cap, int num_begun) override;
    void close() override;
    Resource next_milestone(int bracket, int rungs_survived) const override;
    std::vector<RungSize> rungs() const override { return rungs_; }

  private:
    struct Bracket {
        std::size_t first_milestone;
        std::int64_t vacancies;         // number of trials that may still begin in it
        int rung = 0;                   // the rung at which its trials are, or to which they train
        std::int64_t num_expected = 0;  // number of trials whose arrival decides `rung`
        std::int64_t num_arrived = 0;   // number of those that have arrived, or ended before
        std::vector<Result> paused;
        std::set<TrialId> complete{};  // those of `paused` that will not continue, even if they are among the best
        bool is_closed = false;        // all its trials ended before their rung was decided
    };
    /// Order of promotion: most rungs survived first, then the best loss.
    using Promotion = std::pair<int, Result>;

    void open_bracket(TrialId first);
    void fill_up_to(std::int64_t most);
    Bracket& bracket_of(const Trial& trial) { return brackets_[static_cast<std::size_t>(trial.bracket)]; }
    void leave(const Trial& trial);
    void arrive(Bracket& bracket);
    void decide(Bracket& bracket);
    std::size_t& size_of_rung(const Bracket& bracket, int rungs_survived) {
        return rungs_[bracket.first_milestone + static_cast<std::size_t>(rungs_survived)].size;
    }

    std::size_t eta_;
    std::optional<int> run_cap_;
    std::vector<std::int64_t> sizes_;  // sizes of the brackets, which take turns
    std::vector<RungSize> rungs_;
    std::vector<Bracket> brackets_;
    std::set<Promotion> promotions_;
    std::vector<TrialId> eliminated_;
};

}  // namespace crescendo
