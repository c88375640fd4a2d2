#include "scheduler/schedulers/promoting_asha.hpp"

#include <algorithm>
#include <functional>

#include "core/check.hpp"
#include "scheduler/loss.hpp"

namespace crescendo {

PromotingAsha::PromotingAsha(const SweepSpec& spec)
    : eta_(static_cast<std::size_t>(spec.scheduler.reduction_factor)),
      brackets_(spec),
      top_(brackets_.num_milestones() - 1) {}

Judgement PromotingAsha::report(const Trial& trial) {
    if (trial.resource < brackets_.milestone(trial.bracket, trial.rungs_survived)) {
        return {Verdict::go_on, trial.rungs_survived};
    }
    const Result result{*trial.loss, trial.id};
    auto& rung = brackets_.rung(trial.bracket, trial.rungs_survived);
    insert(rung, result);
    if (brackets_.is_top(trial.bracket, trial.rungs_survived)) {
        return {Verdict::complete, trial.rungs_survived};
    }
    rung.paused.push_back(result);
    std::push_heap(rung.paused.begin(), rung.paused.end(), std::greater<>());
    next_ = next_promotion();
    return {Verdict::pause, trial.rungs_survived};
}

void PromotingAsha::fail(const Trial& trial) {
    insert(brackets_.rung(trial.bracket, trial.rungs_survived), {worst_loss, trial.id});
    next_ = next_promotion();
}

void PromotingAsha::retry(const Trial& trial) {
    auto& results = brackets_.rung(trial.bracket, trial.rungs_survived).results;
    results.erase({worst_loss, trial.id}, (results.size() - 1) / eta_);
    next_ = next_promotion();
}

void PromotingAsha::withdraw(const Trial& trial) {
    auto& paused = brackets_.rung(trial.bracket, trial.rungs_survived).paused;
    std::erase(paused, Result{*trial.loss, trial.id});
    std::make_heap(paused.begin(), paused.end(), std::greater<>());
    next_ = next_promotion();
}

/// What the trials reported still counts.
void PromotingAsha::end_all() {
    for (int bracket = 0; bracket < brackets_.num_brackets(); ++bracket) {
        for (int k = bracket; k < brackets_.num_milestones(); ++k) {
            brackets_.rung(bracket, k - bracket).paused.clear();
        }
    }
    next_.reset();
}

std::optional<TrialId> PromotingAsha::promotable() const {
    return next_ ? std::optional(best_paused(*next_).trial) : std::nullopt;
}

void PromotingAsha::promote() {
    CRESCENDO_EXPECT(next_.has_value());
    auto& paused = brackets_.rung(next_->first, next_->second).paused;
    std::pop_heap(paused.begin(), paused.end(), std::greater<>());
    paused.pop_back();
    next_ = next_promotion();
}

/// The rung at the highest milestone where a paused trial is among the best; if several brackets have one there, the
/// rung with the best paused trial.
std::optional<PromotingAsha::Place> PromotingAsha::next_promotion() const {
    std::optional<Place> found;
    for (int k = top_ - 1; k >= 0 && !found; --k) {
        for (int bracket = 0; bracket <= k && bracket < brackets_.num_brackets(); ++bracket) {
            const Place place{bracket, k - bracket};
            const auto& rung = brackets_.rung(bracket, k - bracket);
            if (!rung.paused.empty() && rung.results.is_among_best(rung.paused.front()) &&
                (!found || best_paused(place) < best_paused(*found))) {
                found = place;
            }
        }
    }
    return found;
}

const Result& PromotingAsha::best_paused(const Place& place) const {
    return brackets_.rung(place.first, place.second).paused.front();
}

void PromotingAsha::insert(Rung& rung, const Result& result) const {
    rung.results.insert(result, (rung.size() + 1) / eta_);
}

}  // namespace crescendo
