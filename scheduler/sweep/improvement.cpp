#include "scheduler/sweep/improvement.hpp"

#include <cstddef>

namespace crescendo {

void Improvement::note_best(const Trial& candidate) {
    best_loss_ = *candidate.loss;
    best_trial_ = candidate.id;
    num_ends_in_vain_ = 0;
}

void Improvement::note_best_of(const Trial& trial) {
    const auto index = static_cast<std::size_t>(trial.id.value);
    if (index >= bests_.size()) {
        bests_.resize(index + 1);
    }
    if (*trial.loss < bests_[index].loss) {
        bests_[index] = {*trial.loss, trial.resource};
    }
}

bool Improvement::is_over(const Trial& trial) const {
    return patience_.resource &&
           trial.resource.value - bests_[static_cast<std::size_t>(trial.id.value)].at.value >= *patience_.resource;
}

}  // namespace crescendo
