#include "scheduler/rung.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "scheduler/loss.hpp"

namespace crescendo {

void Rung::insert(TrialId trial, double loss) {
    const Result result{finite_or_worst(loss), trial};
    if (losses_.emplace(trial, result.loss).second) {
        ranking_.insert(std::lower_bound(ranking_.begin(), ranking_.end(), result), result);
    }
}

std::optional<double> Rung::loss(TrialId trial) const {
    const auto found = losses_.find(trial);
    return found == losses_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t Rung::rank(TrialId trial) const {
    const auto recorded = loss(trial);
    CRESCENDO_EXPECT(recorded.has_value());
    const auto place = std::lower_bound(ranking_.begin(), ranking_.end(), Result{*recorded, trial});
    return static_cast<std::size_t>(place - ranking_.begin());
}

const Rung::Result& Rung::at(std::size_t rank) const {
    CRESCENDO_EXPECT(rank < ranking_.size());
    return ranking_[rank];
}

}  // namespace crescendo
