#pragma once

#include <cstdint>
#include <span>

namespace crescendo::analysis {

/// Geometric mean of `ratios`, which is not empty and has none below 0.
double geometric_mean(std::span<const double> ratios);

/// A confidence interval; an end may be infinite.
struct Interval {
    double low;
    double high;

    friend bool operator==(const Interval&, const Interval&) = default;
};

/// How values are drawn again. Equal settings give equal intervals on every machine.
struct Resampling {
    double confidence = 0.95;
    int num_samples = 2000;
    std::uint64_t seed = 1;
};

/// The interval of the median of `values`, which is not empty and may have infinities.
///
/// By the percentile method: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), section 13.3. Its ends
/// are values of the statistic that were drawn, without interpolation, so that infinities do no harm. It is never wider
/// than from the least value to the greatest, which is what five values give: that covers the true median in 94 of 100
/// cases (1 - 2 / 2^5). Fewer values cover it less often.
Interval bootstrap_median(std::span<const double> values, const Resampling& resampling = {});

/// The interval of the median of `numerators` over the median of `denominators`, two independent sets of positive
/// values, neither of them empty. Where both medians are infinite nothing is known of their ratio, and it counts as 0
/// for the low end and as infinity for the high one.
Interval bootstrap_median_ratio(std::span<const double> numerators, std::span<const double> denominators,
                                const Resampling& resampling = {});

}  // namespace crescendo::analysis
