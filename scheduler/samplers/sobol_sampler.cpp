#include "scheduler/samplers/sobol_sampler.hpp"

#include <utility>

#include "core/draws.hpp"

namespace crescendo {

SobolSampler::SobolSampler(SearchSpace space, std::uint64_t seed)
    : space_(std::move(space)), seed_(seed), sequence_(space_.num_dimensions(), seed) {}

SobolSampler SobolSampler::further(SearchSpace space, std::uint64_t seed, int number) {
    return {std::move(space), draws(seed, Purpose::exploring, TrialId{number}).next()};
}

std::optional<Proposal> SobolSampler::propose(TrialId trial) {
    if (space_.rules().empty() || trial.value < num_passed_) {  // without rules, no point is forbidden
        num_passed_ = space_.rules().empty() ? trial.value : 0;
        next_ = static_cast<std::uint32_t>(num_passed_);
    }
    while (auto config = next_config()) {
        if (num_passed_++ == trial.value) {
            return Proposal{*std::move(config)};
        }
    }
    return Proposal{space_.sample(draws(seed_, Purpose::configuration, trial))};
}

/// The configuration of the next allowed point. Nothing if none of the next SearchSpace::most_draws points is allowed.
std::optional<Config> SobolSampler::next_config() {
    for (int i = 0; i < SearchSpace::most_draws; ++i) {
        if (auto config = space_.at(sequence_.at(next_++))) {
            return config;
        }
    }
    return {};
}

std::unique_ptr<Sampler> SobolSampler::clone() const { return std::make_unique<SobolSampler>(*this); }

}  // namespace crescendo
