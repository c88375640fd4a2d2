#pragma once

#include <cstdint>

#include "core/ids.hpp"
#include "core/random.hpp"

namespace crescendo::simulator {

/// What random numbers are for. The sweep itself has the first two: configurations and the trials' own seeds.
enum class Purpose : std::uint64_t { curve = 2, noise, speed, straggling, failing };

/// The numbers of one purpose for the n-th step of a trial: a pure function of the four, whatever else was drawn. So
/// two policies with the same seed meet the same trials, the same noise and the same stragglers.
CounterRandom draws(std::uint64_t seed, Purpose purpose, TrialId trial, std::int64_t step = 0);

}  // namespace crescendo::simulator
