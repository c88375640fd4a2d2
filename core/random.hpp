#pragma once

#include <array>
#include <cstdint>

namespace crescendo {

/// Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC'11).
///
/// The n-th number of a (seed, stream) pair is a pure function of n, seed and stream, the same on every machine and
/// compiler, so a stream can be repeated without stored state. The distributions are our own for the same reason: those
/// of <random> differ between libraries.
class CounterRandom {
  public:
    CounterRandom(std::uint64_t seed, std::uint64_t stream);

    /// Uniform over all 64-bit values.
    std::uint64_t next();

    /// Uniform in [0, 1), with 53 random bits.
    double uniform();

    /// Uniform in [0, bound), without bias. `bound` is at least 1.
    std::uint64_t below(std::uint64_t bound);

  private:
    void refill();

    std::array<std::uint32_t, 2> key_;
    std::array<std::uint32_t, 4> counter_;
    std::array<std::uint32_t, 4> block_{};
    unsigned used_ = 4;
};

}  // namespace crescendo
