#include "scheduler/sweep/proposals.hpp"

namespace crescendo {

bool Proposals::configure(Trial& trial) {
    if (auto recorded = from_events_.extract(trial.id)) {
        trial.config = std::move(recorded.mapped().config);
        trial.origin = recorded.mapped().origin;
        trial.is_proposed = true;
        return true;
    }
    if (sampler_->proposes_by_events()) {
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

void Proposals::tell(const Trial& trial) {
    sampler_->tell(trial);
    if (sampler_->proposes_by_events()) {
        news_.insert(trial.id);
    }
}

void Proposals::ask_again() {
    sampler_has_nothing_ = false;
    awaited_.reset();
}

}  // namespace crescendo
