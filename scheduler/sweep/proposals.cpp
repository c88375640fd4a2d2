#include "scheduler/sweep/proposals.hpp"

namespace crescendo {

bool Proposals::configure(Trial& trial) {
    if (auto recorded = from_events_.extract(trial.id)) {
        trial.config = std::move(recorded.mapped().config);
        trial.origin = recorded.mapped().origin;
        trial.is_proposed = true;
        return true;
    }
    if (are_events_) {
        awaited_ = trial.id;
        return false;
    }
    if (auto proposal = sampler_->propose(trial.id)) {
        trial.config = std::move(proposal->config);
        trial.origin = proposal->origin;
        return true;
    }
    sampler_has_nothing_ = true;
    return false;
}

std::optional<Proposal> Proposals::propose() { return awaited_ ? sampler_->propose(*awaited_) : std::nullopt; }

}  // namespace crescendo
