#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "scheduler/schedulers/brackets.hpp"
#include "scheduler/schedulers/cut.hpp"
#include "scheduler/schedulers/scheduler.hpp"

namespace crescendo {

/// Asynchronous successive halving as published (Li et al., "A System for Massively Parallel Hyperparameter Tuning",
/// MLSys 2020, algorithm 2): a trial pauses at every rung. It continues when a slot is free and it is among the best
/// floor(n / eta) of the n results there.
class PromotingAsha final : public Scheduler {
  public:
    /// `spec` is valid.
    explicit PromotingAsha(const SweepSpec& spec);

    int begin(TrialId trial) override { return brackets_.draw(trial); }
    Judgement report(const Trial& trial) override;
    void fail(const Trial& trial) override;
    void retry(const Trial& trial) override;
    void withdraw(const Trial& trial) override;
    void end_all() override;
    std::optional<TrialId> promotable() const override;
    void promote() override;
    Resource next_milestone(int bracket, int rungs_survived) const override {
        return brackets_.milestone(bracket, rungs_survived);
    }
    std::vector<RungSize> rungs() const override { return brackets_.sizes(); }

    /// Promotes no trial beyond the `milestone`-th milestone (counted from 0) from now on.
    void close_above(int milestone) {
        top_ = milestone;
        next_ = next_promotion();
    }

  private:
    struct Rung {
        Cut results;
        std::vector<Result> paused;  // a heap, best first

        std::size_t size() const { return results.size(); }
    };

    /// A bracket, and a rung in it.
    using Place = std::pair<int, int>;

    const Result& best_paused(const Place& place) const;
    std::optional<Place> next_promotion() const;
    void insert(Rung& rung, const Result& result) const;

    std::size_t eta_;
    Brackets<Rung> brackets_;
    int top_;
    std::optional<Place> next_;  ///< where the next trial is promoted; cached: it is read more often than it changes
};

}  // namespace crescendo
