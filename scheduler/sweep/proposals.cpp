#include "scheduler/sweep/proposals.hpp"

namespace crescendo {

bool Proposals::configure(Trial& trial) {
    if (auto proposal = from_events_.extract(trial.id)) {
        trial.config = std::move(proposal.mapped());
        trial.is_proposed = true;
        return true;
    }
    if (auto proposal = sampler_->propose(trial.id)) {
        trial.config = std::move(proposal->config);
        return true;
    }
    sampler_has_nothing_ = true;
    return false;
}

}  // namespace crescendo
