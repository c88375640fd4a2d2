#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace crescendo {

/// Points that fill the unit cube more evenly than random ones: Sobol's sequence with Owen's nested uniform scrambling
/// ("Randomly permuted (t,m,s)-nets and (t,s)-sequences", 1995).
///
/// Each single point is uniformly distributed over the seeds. The first 2^k points have one in each of 2^k equal parts
/// of every axis. Coordinates beyond the first 128 are random.
class SobolSequence {
  public:
    /// What each bit of a point's index adds to its coordinate in one dimension.
    using Directions = std::array<std::uint32_t, 32>;

    SobolSequence(int num_dimensions, std::uint64_t seed);

    /// The point of an index below 2^31, in [0, 1)^num_dimensions.
    std::vector<double> at(std::uint32_t index) const;

  private:
    double coordinate(std::size_t dimension, std::uint32_t index) const;

    std::vector<Directions> directions_;  // by dimension
    std::vector<std::uint64_t> keys_;     // by dimension, of its random numbers
};

}  // namespace crescendo
