#pragma once

#include <cstdint>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/schedulers/scheduler.hpp"
#include "scheduler/sweep_spec.hpp"

namespace crescendo {

/// Milestones of all rungs, lowest first. Fifo and median have only the one at max.
std::vector<Resource> milestones(const SchedulerSpec& spec);

/// Number of trials in each of Hyperband's brackets. Bracket b begins at the b-th of `num_rungs` milestones and has
/// ceil((s_max + 1) / (s + 1) * eta^s) trials, with s_max = num_rungs - 1 and s = s_max - b (Li et al., "Hyperband",
/// JMLR 2018, algorithm 1).
std::vector<std::int64_t> bracket_sizes(std::size_t num_rungs, int eta);

/// Draws the bracket of each trial of asynchronous Hyperband, in proportion to the sizes of Hyperband's brackets.
class BracketDraw {
  public:
    explicit BracketDraw(const SweepSpec& spec);

    /// A pure function of the sweep's seed and the trial.
    int draw(TrialId trial) const;

    int size() const { return static_cast<int>(sizes_.size()); }

  private:
    std::uint64_t seed_;
    std::vector<std::int64_t> sizes_;
};

/// The rungs of every bracket: bracket b begins at milestone b. A `Rung` has a size().
template <class Rung>
class Brackets {
  public:
    /// `spec` is valid.
    explicit Brackets(const SweepSpec& spec) : draw_(spec), milestones_(milestones(spec.scheduler)) {
        for (int bracket = 0; bracket < draw_.size(); ++bracket) {
            rungs_.emplace_back(milestones_.size() - static_cast<std::size_t>(bracket));
        }
    }

    int draw(TrialId trial) const { return draw_.draw(trial); }

    /// Milestone at which a trial of `bracket` that survived `rungs_survived` rungs is judged next.
    Resource milestone(int bracket, int rungs_survived) const {
        return milestones_[static_cast<std::size_t>(bracket + rungs_survived)];
    }
    Rung& rung(int bracket, int rungs_survived) {
        return rungs_[static_cast<std::size_t>(bracket)][static_cast<std::size_t>(rungs_survived)];
    }
    const Rung& rung(int bracket, int rungs_survived) const {
        return rungs_[static_cast<std::size_t>(bracket)][static_cast<std::size_t>(rungs_survived)];
    }
    bool is_top(int bracket, int rungs_survived) const { return bracket + rungs_survived + 1 == num_milestones(); }

    int num_brackets() const { return draw_.size(); }
    int num_milestones() const { return static_cast<int>(milestones_.size()); }

    /// Sizes of all rungs, over all brackets, lowest first.
    std::vector<RungSize> sizes() const {
        std::vector<RungSize> result;
        for (int k = 0; k < num_milestones(); ++k) {
            result.push_back({milestone(0, k)});
            for (int bracket = 0; bracket <= k && bracket < num_brackets(); ++bracket) {
                result.back().size += rung(bracket, k - bracket).size();
            }
        }
        return result;
    }

  private:
    BracketDraw draw_;
    std::vector<Resource> milestones_;
    std::vector<std::vector<Rung>> rungs_;
};

}  // namespace crescendo
