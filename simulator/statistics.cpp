#include "simulator/statistics.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/check.hpp"

namespace crescendo::simulator {
namespace {

/// The 97.5 % quantile of Student's t for 1, 2, … degrees of freedom; then close to its limit.
double t_quantile(std::size_t degrees) {
    constexpr std::array<double, 30> table{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                           2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                           2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    return degrees <= table.size() ? table.at(degrees - 1) : 1.96 + 2.5 / static_cast<double>(degrees);
}

}  // namespace

Estimate estimate(const std::vector<double>& values) {
    CRESCENDO_EXPECT(!values.empty());
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    if (values.size() == 1) {
        return {mean, std::numeric_limits<double>::infinity()};
    }
    double squares = 0;
    for (const double value : values) {
        squares += (value - mean) * (value - mean);
    }
    return {mean, t_quantile(values.size() - 1) * std::sqrt(squares / (count - 1) / count)};
}

Estimate estimate_ratio(const std::vector<double>& ratios) {
    std::vector<double> logarithms;
    for (const double ratio : ratios) {
        logarithms.push_back(std::log(ratio));
    }
    const auto [mean, half_width] = estimate(logarithms);
    return {std::exp(mean), std::exp(mean + half_width) - std::exp(mean)};
}

}  // namespace crescendo::simulator
