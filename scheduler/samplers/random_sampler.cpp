#include "scheduler/samplers/random_sampler.hpp"

#include <utility>

#include "core/draws.hpp"

namespace crescendo {

RandomSampler::RandomSampler(SearchSpace space, std::uint64_t seed) : space_(std::move(space)), seed_(seed) {}

std::optional<Proposal> RandomSampler::propose(TrialId trial) {
    return Proposal{space_.sample(draws(seed_, Purpose::configuration, trial))};
}

std::unique_ptr<Sampler> RandomSampler::clone() const { return std::make_unique<RandomSampler>(*this); }

}  // namespace crescendo
