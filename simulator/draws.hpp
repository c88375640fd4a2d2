#pragma once

#include <cstdint>

#include "core/ids.hpp"
#include "core/random.hpp"

namespace crescendo::simulator {

/// What random numbers are used for. The sweep itself uses the numbers 0 and 1: for configurations and for the trials'
/// own seeds.
enum class Purpose : std::uint64_t { curve = 2, noise, speed, straggling, failing };

/// The random numbers of one purpose for one step of a trial. They are a pure function of the four arguments, whatever
/// else was drawn. So two policies with the same seed meet the same trials, the same noise and the same stragglers.
CounterRandom draws(std::uint64_t seed, Purpose purpose, TrialId trial, std::int64_t step = 0);

}  // namespace crescendo::simulator
