#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "scheduler/samplers/ascent.hpp"
#include "scheduler/samplers/axis.hpp"

namespace crescendo {

/// A posterior belief about a function over the unit cube, given its values at some points: a Gaussian process with a
/// Matérn kernel (ν = 5/2) that has a length for each axis (Rasmussen and Williams, "Gaussian Processes for Machine
/// Learning", 2006). The prior mean is 0, and the priors of the settings expect standardized values.
///
/// Along a categorical axis, and between a point that has a coordinate and one that lacks it, the distance is 1.
///
/// Sums are taken in a fixed order, and no library is used, so equal points give equal numbers.
class GaussianProcess {
  public:
    /// Points, one after the other, each with one coordinate per axis: in [0, 1), or negative if absent.
    using Points = std::vector<double>;

    struct Settings {
        std::vector<double> lengths;  ///< by axis, > 0
        double variance = 1;          ///< prior variance of the function, > 0
        double noise = 0;             ///< variance of a value around the function, > 0
    };

    struct Normal {
        double mean;
        double deviation;
    };

    /// `values` were seen at `points`. At the `pending` points, values are still to come: these points lower the
    /// deviation as if the mean had been seen there (Kriging believer: Ginsbourger et al. 2010). `axes` must outlive
    /// this object.
    GaussianProcess(const std::vector<Axis>& axes, const Points& points, const std::vector<double>& values,
                    const Points& pending, Settings settings);

    Normal at(std::span<const double> point) const;

    /// The result of at(), and its derivatives with respect to the coordinates: 0 along categorical axes and for absent
    /// coordinates.
    struct Slope {
        Normal belief;
        std::vector<double> mean;
        std::vector<double> deviation;
    };
    Slope slope_at(std::span<const double> point) const;

    /// The mean of the function, without noise, at the point where value `index` was seen.
    double mean_at(std::size_t index) const { return values_[index] - settings_.noise * weights_[index]; }

    /// The most probable settings, found by L-BFGS. The prior expects longer lengths with more axes (Hvarfner et al.,
    /// "Vanilla Bayesian Optimization Performs Great in High Dimensions", ICML 2024), and lengths that are alike: a few
    /// results for many axes do not make some axes seem irrelevant. The prior of the noise is exponential: much noise
    /// needs evidence, because it would explain any function; little noise needs none, so a model of exact values
    /// follows them closely.
    static Settings fit(const std::vector<Axis>& axes, const Points& points, const std::vector<double>& values);

    /// Logarithm of the probability of `values` and `settings`, up to a constant, and its derivatives with respect to
    /// the logarithms of the lengths, of the variance and, last, of the noise.
    static Height evidence(const std::vector<Axis>& axes, const Points& points, const std::vector<double>& values,
                           const Settings& settings);

  private:
    Normal normal(std::vector<double>& likeness) const;

    const std::vector<Axis>& axes_;
    Points points_;  // those that were seen, then the pending ones
    std::vector<double> values_;
    Settings settings_;
    std::vector<double> factor_;   // Cholesky factor, over all points
    std::vector<double> weights_;  // of the points that were seen
};

}  // namespace crescendo
