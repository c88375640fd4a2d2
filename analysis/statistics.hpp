#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace crescendo::analysis {

/// Geometric mean of `ratios`, which must not be empty. No ratio is below 0.
double geometric_mean(std::span<const double> ratios);

/// A confidence interval; an end may be infinite.
struct Interval {
    double low;
    double high;

    friend bool operator==(const Interval&, const Interval&) = default;
};

/// Settings of a bootstrap. Equal settings give equal intervals on every machine.
struct Resampling {
    double confidence = 0.95;
    int num_samples = 2000;
    std::uint64_t seed = 1;
};

/// Confidence intervals of the medians of equally many values, from the same bootstrap samples.
///
/// Uses the percentile method: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), section 13.3. The ends
/// are drawn values of the statistic, without interpolation, so that infinities do no harm. The interval never exceeds
/// the range from the least to the greatest value. Five values give this whole range, which covers the true median in
/// 94 of 100 cases (1 - 2 / 2^5). Fewer values cover it less often.
class MedianBootstrap {
  public:
    /// `num_values` must be at least 1.
    explicit MedianBootstrap(std::size_t num_values, const Resampling& resampling = {});

    /// The interval of these values, in any order. They may have infinities.
    Interval interval(std::vector<double> values) const;

  private:
    double confidence_;
    std::vector<std::pair<std::size_t, std::size_t>> middles_;  ///< ranks of each sample's values in the middle
};

/// The confidence interval of the median of `values`, which must not be empty and may have infinities.
Interval bootstrap_median(std::span<const double> values, const Resampling& resampling = {});

/// The confidence interval of the median of `numerators` divided by the median of `denominators`: two independent sets
/// of positive values, neither of them empty. If both medians are infinite, their ratio is unknown: it counts as 0 for
/// the low end and as infinity for the high one.
Interval bootstrap_median_ratio(std::span<const double> numerators, std::span<const double> denominators,
                                const Resampling& resampling = {});

}  // namespace crescendo::analysis
