#pragma once

#include <span>
#include <vector>

#include "core/random.hpp"
#include "scheduler/samplers/axis.hpp"

namespace crescendo {

/// A probability density over the unit cube, estimated from points: a mixture of a uniform density and one kernel for
/// each point (Parzen's estimator).
///
/// A kernel is a product over the coordinates: a normal density cut off at 0 and 1 for numbers, and for a category the
/// category itself with a share of all others. If its point lacks a coordinate, a kernel is uniform along it. So
/// conditional parameters need no models of their own: integrated over the coordinates that a point lacks, the density
/// is that of the mixture without them.
class Parzen {
  public:
    struct Kernel {
        std::span<const double> point;  ///< coordinates in [0, 1), or negative if absent
        double weight;
    };

    /// How smooth the density is.
    struct Smoothing {
        double prior_weight;  ///< weight of the uniform density, the prior
        double least_width;   ///< kernels of n points have at least the width least_width / (1 + n)
        double breadth = 1;   ///< factor on the width of the kernels
    };

    Parzen(std::vector<Axis> axes, const std::vector<Kernel>& kernels, const Smoothing& smoothing);

    /// Draws a point, with all of its coordinates.
    std::vector<double> sample(CounterRandom& random) const;

    /// Draws from a kernel like those of the points, but around `center`. Coordinates that `center` lacks are uniform.
    std::vector<double> sample_around(std::span<const double> center, CounterRandom& random) const;

    /// Logarithm of the density at a point, over the coordinates that it has.
    double log_density(std::span<const double> point) const;

  private:
    /// The kernels along one axis. The first is the uniform one.
    struct Along {
        std::vector<double> centers;
        std::vector<double> inverse_widths;  ///< 0: the kernel is uniform
        std::vector<double> log_heights;
        double width;
        double share_of_others;  ///< what a categorical kernel leaves to all other categories
    };

    Along along(std::size_t axis, const std::vector<Kernel>& kernels, const Smoothing& smoothing) const;

    std::vector<Axis> axes_;
    std::vector<double> weights_;  // add up to 1
    std::vector<double> log_weights_;
    std::vector<Along> along_;  // by axis
};

}  // namespace crescendo
