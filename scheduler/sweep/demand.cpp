#include "scheduler/sweep/demand.hpp"

#include <algorithm>

#include "scheduler/loss.hpp"

namespace crescendo {
namespace {

constexpr int nowhere = -1;

std::size_t index_of(TrialId trial) { return static_cast<std::size_t>(trial.value); }

}  // namespace

Demand::Demand(const SchedulerSpec& spec)
    : has_surplus_(spec.has_surplus()), is_needed_(has_surplus_ || spec.priority == Priority::promotions_first) {}

void Demand::replace(const Trial& trial, const Allocator& allocator) {
    if (find(trial.id) != nullptr) {
        erase(trial.id);
    }
    if (trial.status == TrialStatus::running) {
        insert(claim_of(trial), allocator);
    }
}

void Demand::recount(const Allocator& allocator) {
    for (auto& claim : claims_) {
        discount(claim);
        count(claim, allocator);
    }
}

int Demand::num_missing_besides(TrialId trial) const {
    const auto* own = find(trial);
    return num_missing_ - (own == nullptr ? 0 : own->num_missing);
}

/// Even with very many survivors, most calls end after a few of them.
bool Demand::can_spare(int count, const Trial& trial, const Allocator& allocator) const {
    const auto own_merit = merit(claim_of(trial));
    int num_spare = allocator.pool().num_free() - num_missing_besides(trial.id);
    for (const auto& [merit, size] : survivors_) {
        if (num_spare < count || !(merit < own_merit)) {
            break;
        }
        const int surplus = std::get<TrialId>(merit) == trial.id ? 0 : allocator.surplus(size);
        num_spare -= surplus <= num_spare ? surplus : 0;
    }
    return num_spare >= count;
}

Demand::Claim Demand::claim_of(const Trial& trial) {
    return {trial.id, static_cast<int>(trial.group.slots.size()), trial.rungs_survived,
            trial.loss.value_or(worst_loss), /*num_missing=*/0, trial.wants_workers};
}

const Demand::Claim* Demand::find(TrialId trial) const {
    const bool has_claim = index_of(trial) < places_.size() && places_[index_of(trial)] != nowhere;
    return has_claim ? &claims_[static_cast<std::size_t>(places_[index_of(trial)])] : nullptr;
}

void Demand::insert(const Claim& claim, const Allocator& allocator) {
    places_.resize(std::max(places_.size(), index_of(claim.trial) + 1), nowhere);
    places_[index_of(claim.trial)] = static_cast<int>(claims_.size());
    count(claims_.emplace_back(claim), allocator);
}

void Demand::erase(TrialId trial) {
    auto& place = places_[index_of(trial)];
    auto& claim = claims_[static_cast<std::size_t>(place)];
    discount(claim);
    places_[index_of(claims_.back().trial)] = place;
    place = nowhere;
    claim = claims_.back();
    claims_.pop_back();
}

void Demand::count(Claim& claim, const Allocator& allocator) {
    claim.num_missing =
        claim.wants_workers ? std::max(0, allocator.full_size(claim.rungs_survived) - claim.size) : 0;
    num_missing_ += claim.num_missing;
    if (may_get_surplus(claim)) {
        survivors_.emplace(merit(claim), claim.size);
    }
}

void Demand::discount(const Claim& claim) {
    num_missing_ -= claim.num_missing;
    if (may_get_surplus(claim)) {
        survivors_.erase(merit(claim));
    }
}

}  // namespace crescendo
