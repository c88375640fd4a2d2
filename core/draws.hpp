#pragma once

#include <cstdint>

#include "core/ids.hpp"
#include "core/random.hpp"

namespace crescendo {

/// What a trial needs random numbers for. Each purpose has its own streams, so no two purposes get the same numbers.
/// Never change a value: no file contains them, but recorded sweeps depend on them.
enum class Purpose : std::uint64_t {
    configuration = 0,
    training = 1,  ///< the seed for the trial's program
    bracket = 2,
    grid = 9,        ///< the order of a grid's points
    sobol = 10,      ///< the scrambling of a Sobol sequence, by dimension instead of trial
    model = 11,      ///< what a model of the results proposes
    untried = 12,    ///< a configuration in place of one that was tried, by attempt
    exploring = 13,  ///< the seeds of a sampler's further Sobol sequences, by sequence instead of trial
    // Simulated trials:
    noise = 3,
    speed = 4,
    straggling = 5,
    failing = 6,
    curve = 7,
    timing = 8,
};

/// The random numbers for one purpose of one trial.
inline CounterRandom draws(std::uint64_t seed, Purpose purpose, TrialId trial) {
    return {seed, (static_cast<std::uint64_t>(purpose) << 32) + static_cast<std::uint64_t>(trial.value)};
}

/// The random numbers for one purpose of one step of a trial.
inline CounterRandom draws(std::uint64_t seed, Purpose purpose, TrialId trial, std::int64_t step) {
    return {draws(seed, purpose, trial).next(), static_cast<std::uint64_t>(step)};
}

}  // namespace crescendo
