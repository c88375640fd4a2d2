#include "scheduler/sweep/trials.hpp"

#include <tuple>
#include <utility>

#include "core/check.hpp"

namespace crescendo {
namespace {

/// Whether `a` has the better loss, or the same and the lower id. Both must have reported.
bool is_better(const Trial& a, const Trial& b) { return std::tie(*a.loss, a.id) < std::tie(*b.loss, b.id); }

}  // namespace

Trial& Trials::add(Trial&& trial) {
    CRESCENDO_EXPECT(trial.id.value == size() && !trial.ended());
    ++counter(trial.status);
    note_change(trial);
    return trials_.emplace_back(std::move(trial));
}

void Trials::transition(Trial& trial, TrialStatus next) {
    const bool was_held = trial.is_held;
    --counter(trial.status);
    trial.transition(next);
    ++counter(trial.status);
    num_held_ -= was_held && !trial.is_held;
    note_change(trial);
}

void Trials::set_held(Trial& trial, bool is_held) {
    num_held_ += is_held - trial.is_held;
    trial.is_held = is_held;
}

void Trials::retry(Trial& trial) {
    --counter(trial.status);
    trial.retry();
    ++counter(trial.status);
    note_change(trial);
}

std::set<TrialId> Trials::take_changes() {
    if (!std::exchange(keeps_changes_, true)) {
        for (const auto& trial : trials_) {
            changes_.insert(trial.id);
        }
    }
    return std::exchange(changes_, {});
}

bool Trials::all_ended() const {
    return count(TrialStatus::stopped) + count(TrialStatus::finished) + count(TrialStatus::failed) == size();
}

std::optional<TrialId> Trials::best() const {
    const Trial* best = nullptr;
    for (const auto& trial : trials_) {
        if (trial.may_be_best() && (best == nullptr || is_better(trial, *best))) {
            best = &trial;
        }
    }
    return best == nullptr ? std::nullopt : std::optional(best->id);
}

std::optional<TrialId> Trials::rank_ended(const Trial& trial) {
    if (!trial.may_be_best() || (best_ended_ && is_better((*this)[*best_ended_], trial))) {
        return trial.id;
    }
    return std::exchange(best_ended_, trial.id);
}

}  // namespace crescendo
