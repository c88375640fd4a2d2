#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "core/ids.hpp"

namespace crescendo {

/// Losses of every trial that reached one milestone, best first.
///
/// Equal losses rank by trial id, so the same results in any order give the same ranking.
/// NaN and infinite losses rank last.
class Rung {
  public:
    struct Result {
        double loss;  ///< finite, or +infinity
        TrialId trial;

        friend auto operator<=>(const Result&, const Result&) = default;
    };

    explicit Rung(Resource milestone) : milestone_(milestone) {}

    Resource milestone() const { return milestone_; }
    std::size_t size() const { return ranking_.size(); }

    /// Records a loss. Recording a trial twice keeps its first loss.
    void insert(TrialId trial, double loss);

    /// Loss of `trial` at this milestone; none where it was not recorded.
    std::optional<double> loss(TrialId trial) const;

    /// How many results are better than that of `trial`, which must have been recorded.
    std::size_t rank(TrialId trial) const;

    /// The result of rank `rank`, which must be below size().
    const Result& at(std::size_t rank) const;

  private:
    Resource milestone_;
    std::vector<Result> ranking_;  // sorted
    std::map<TrialId, double> losses_;
};

}  // namespace crescendo
