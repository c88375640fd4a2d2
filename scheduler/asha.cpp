#include "scheduler/asha.hpp"

#include <algorithm>

#include "scheduler/ladder.hpp"
#include "scheduler/loss.hpp"

namespace crescendo {
namespace {

std::vector<Rung> make_rungs(const SchedulerSpec& spec) {
    const Resource lowest = spec.kind == SchedulerKind::fifo ? spec.max : spec.min;
    std::vector<Rung> rungs;
    for (const auto milestone : ladder(lowest.value, spec.max.value, spec.reduction_factor)) {
        rungs.emplace_back(Resource{milestone});
    }
    return rungs;
}

/// The linearly interpolated 1/eta quantile of the losses in a rung; any loss passes where there is none.
double cutoff(const Rung& rung, std::size_t eta) {
    if (rung.size() == 0) {
        return worst_loss;
    }
    const std::size_t below = (rung.size() - 1) / eta;
    const std::size_t remainder = (rung.size() - 1) % eta;
    const double low = rung.at(below).loss;
    if (remainder == 0) {
        return low;
    }
    const double high = rung.at(below + 1).loss;
    return low == high ? low : low + (high - low) * (static_cast<double>(remainder) / static_cast<double>(eta));
}

}  // namespace

Asha::Asha(const SchedulerSpec& spec)
    : rule_(spec.rule), eta_(static_cast<std::size_t>(spec.reduction_factor)), rungs_(make_rungs(spec)) {}

Judgement Asha::report(TrialId trial, int rungs_survived, Resource resource, double loss) {
    for (auto next = static_cast<std::size_t>(rungs_survived); rungs_[next].milestone() <= resource; ++next) {
        if (next + 1 == rungs_.size()) {
            rungs_[next].insert(trial, loss);
            return {Verdict::complete, rungs_survived};
        }
        if (!survives(rungs_[next], trial, loss)) {
            return {Verdict::stop, rungs_survived};
        }
        ++rungs_survived;
    }
    return {Verdict::go_on, rungs_survived};
}

void Asha::fail(TrialId trial, int rungs_survived) {
    rungs_[static_cast<std::size_t>(rungs_survived)].insert(trial, worst_loss);
}

bool Asha::survives(Rung& rung, TrialId trial, double loss) const {
    if (rule_ == Rule::percentile) {
        const double worst_to_survive = cutoff(rung, eta_);
        rung.insert(trial, loss);
        return *rung.loss(trial) <= worst_to_survive;
    }
    rung.insert(trial, loss);
    return rung.rank(trial) < std::max<std::size_t>(1, rung.size() / eta_);
}

}  // namespace crescendo
