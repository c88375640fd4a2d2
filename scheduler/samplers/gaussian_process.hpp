#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "scheduler/samplers/ascent.hpp"
#include "scheduler/samplers/axis.hpp"

namespace crescendo {

/// What is believed of a function over the unit cube after it was seen at some points: a Gaussian process with a Matérn
/// kernel (ν = 5/2) that has a length for each axis (Rasmussen and Williams, "Gaussian Processes for Machine Learning",
/// 2006). Its mean is 0 where nothing is known, and the priors of its settings expect standardized values.
///
/// Along a categorical axis, and between a point that has a coordinate and one that lacks it, the distance is 1.
///
/// Sums are taken in a fixed order, and no library is used: equal points give equal numbers.
class GaussianProcess {
  public:
    /// Points, one after the other, each with a coordinate for each axis: in [0, 1), or negative if absent.
    using Points = std::vector<double>;

    struct Settings {
        std::vector<double> lengths;  ///< by axis, > 0
        double variance = 1;          ///< of the function, where nothing is known, > 0
        double noise = 0;             ///< variance of a value around the function, > 0
    };

    struct Normal {
        double mean;
        double deviation;
    };

    /// `values` were seen at `points`. At the `pending` points nothing was seen yet, but will be: they lower the
    /// deviation as if the mean had been seen there (Kriging believer: Ginsbourger et al. 2010). `axes` outlives this.
    GaussianProcess(const std::vector<Axis>& axes, const Points& points, const std::vector<double>& values,
                    const Points& pending, Settings settings);

    Normal at(std::span<const double> point) const;

    /// What at() gives, and its derivatives by the coordinates: 0 along categorical axes and where one is absent.
    struct Slope {
        Normal belief;
        std::vector<double> mean;
        std::vector<double> deviation;
    };
    Slope slope_at(std::span<const double> point) const;

    /// What is believed, without noise, of the function at the point where value `index` was seen.
    double mean_at(std::size_t index) const { return values_[index] - settings_.noise * weights_[index]; }

    /// The most probable settings, found by L-BFGS. The prior of the lengths grows with the number of axes (Hvarfner et
    /// al., "Vanilla Bayesian Optimization Performs Great in High Dimensions", ICML 2024), and expects them to be
    /// alike: results that are few for so many axes do not make some of them seem irrelevant. That of the noise is
    /// exponential: much of it needs evidence, since it would explain any function. Little needs none, so a model of
    /// exact values follows them closely.
    static Settings fit(const std::vector<Axis>& axes, const Points& points, const std::vector<double>& values);

    /// Logarithm of the probability of `values` and `settings`, up to a constant; and its derivatives by the logarithms
    /// of the lengths, of the variance and, last, of the noise.
    static Height evidence(const std::vector<Axis>& axes, const Points& points, const std::vector<double>& values,
                           const Settings& settings);

  private:
    Normal normal(std::vector<double>& likeness) const;

    const std::vector<Axis>& axes_;
    Points points_;  // those that were seen, then the pending ones
    std::vector<double> values_;
    Settings settings_;
    std::vector<double> factor_;   // of Cholesky, over all points
    std::vector<double> weights_;  // of the points that were seen
};

}  // namespace crescendo
