#include "analysis/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/check.hpp"
#include "core/median.hpp"
#include "core/random.hpp"

namespace crescendo::analysis {
namespace {

/// The median of a bootstrap sample: as many values as there are, drawn with replacement.
double drawn_median(std::span<const double> values, CounterRandom& random) {
    CRESCENDO_EXPECT(!values.empty());
    std::vector<double> drawn;
    for (std::size_t i = 0; i < values.size(); ++i) {
        drawn.push_back(values[random.below(values.size())]);
    }
    return median(std::move(drawn));
}

/// The value that has the share `share` of `values` before it. Reorders `values`.
double quantile(std::vector<double>& values, double share) {
    const auto last = static_cast<double>(values.size() - 1);
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(std::lround(share * last));
    std::nth_element(values.begin(), nth, values.end());
    return *nth;
}

/// The interval, from the drawn values that count for its low and its high end.
Interval interval_of(std::vector<double>& for_low, std::vector<double>& for_high, double confidence) {
    const double tail = (1 - confidence) / 2;
    return {quantile(for_low, tail), quantile(for_high, 1 - tail)};
}

}  // namespace

double geometric_mean(std::span<const double> ratios) {
    CRESCENDO_EXPECT(!ratios.empty());
    double sum = 0;
    for (const double ratio : ratios) {
        sum += std::log(ratio);
    }
    return std::exp(sum / static_cast<double>(ratios.size()));
}

MedianBootstrap::MedianBootstrap(std::size_t num_values, const Resampling& resampling)
    : confidence_(resampling.confidence) {
    CRESCENDO_EXPECT(num_values > 0);
    CounterRandom random(resampling.seed, 0);
    std::vector<std::size_t> ranks(num_values);
    for (int i = 0; i < resampling.num_samples; ++i) {
        for (auto& rank : ranks) {
            rank = random.below(num_values);
        }
        std::ranges::sort(ranks);
        middles_.emplace_back(ranks[(num_values - 1) / 2], ranks[num_values / 2]);
    }
}

Interval MedianBootstrap::interval(std::vector<double> values) const {
    std::ranges::sort(values);
    std::vector<double> medians;
    for (const auto& [low, high] : middles_) {
        medians.push_back(std::midpoint(values[low], values[high]));
    }
    return interval_of(medians, medians, confidence_);
}

Interval bootstrap_median(std::span<const double> values, const Resampling& resampling) {
    return MedianBootstrap(values.size(), resampling).interval({values.begin(), values.end()});
}

Interval bootstrap_median_ratio(std::span<const double> numerators, std::span<const double> denominators,
                                const Resampling& resampling) {
    CounterRandom random(resampling.seed, 0);
    std::vector<double> low;
    std::vector<double> high;
    for (int i = 0; i < resampling.num_samples; ++i) {
        const double numerator = drawn_median(numerators, random);
        const double denominator = drawn_median(denominators, random);
        const double ratio = numerator / denominator;
        low.push_back(std::isnan(ratio) ? 0 : ratio);
        high.push_back(std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio);
    }
    return interval_of(low, high, resampling.confidence);
}

}  // namespace crescendo::analysis
