#include "launch/coordinator/nothing_finite.hpp"

#include "scheduler/loss.hpp"

namespace crescendo::launch {

bool NothingFinite::note(TrialId trial, double loss) {
    constexpr std::size_t enough = 5;
    if (is_done_) {
        return false;
    }
    if (loss < worst_loss) {
        is_done_ = true;
        return false;
    }
    trials_.insert(trial);
    is_done_ = trials_.size() == enough;
    return is_done_;
}

}  // namespace crescendo::launch
