#include "simulator/epoch_time.hpp"

#include <cmath>
#include <utility>

#include "core/check.hpp"
#include "core/draws.hpp"

namespace crescendo::simulator {

double speedup(int workers, double loss_per_doubling) {
    return workers == 1 ? 1.0 : workers * std::pow(1.0 - loss_per_doubling, std::log2(workers));
}

EpochTime::EpochTime(const SimulationSpec& spec, std::uint64_t seed) : spec_(spec), seed_(seed) {}

EpochTime::EpochTime(const SimulationSpec& spec, std::uint64_t seed, std::vector<double> recorded)
    : spec_(spec), seed_(seed), recorded_(std::move(recorded)) {
    CRESCENDO_EXPECT(!recorded_.empty());
}

double EpochTime::seconds(TrialId trial, Resource resource, int workers) const {
    const double shared = (1.0 - spec_.serial) / speedup(workers, spec_.loss_per_doubling);
    const double seconds = alone(trial) * (spec_.serial + shared) + spec_.communication * std::log2(workers);
    const bool straggles = spec_.straggler_share > 0 &&
                           draws(seed_, Purpose::straggling, trial, resource.value).uniform() < spec_.straggler_share;
    return straggles ? seconds * spec_.straggler_factor : seconds;
}

double EpochTime::alone(TrialId trial) const {
    if (!recorded_.empty()) {
        return recorded_[static_cast<std::size_t>(trial.value) % recorded_.size()];
    }
    return spec_.epoch *
           std::pow(1.0 + spec_.spread, 2.0 * draws(seed_, Purpose::speed, trial, /*step=*/0).uniform() - 1.0);
}

}  // namespace crescendo::simulator
