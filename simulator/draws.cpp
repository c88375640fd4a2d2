#include "simulator/draws.hpp"

namespace crescendo::simulator {

CounterRandom draws(std::uint64_t seed, Purpose purpose, TrialId trial, std::int64_t step) {
    const auto stream = (static_cast<std::uint64_t>(purpose) << 32) + static_cast<std::uint64_t>(trial.value);
    return {CounterRandom(seed, stream).next(), static_cast<std::uint64_t>(step)};
}

}  // namespace crescendo::simulator
