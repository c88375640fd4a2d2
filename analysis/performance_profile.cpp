#include "analysis/performance_profile.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/statistics.hpp"
#include "analysis/time_to_target.hpp"
#include "core/check.hpp"

namespace crescendo::analysis {
namespace {

/// The least time of each workload.
std::vector<double> fastest_times(const Times& times) {
    auto fastest = times.front();
    for (const auto& row : times) {
        CRESCENDO_EXPECT(row.size() == fastest.size());
        for (std::size_t i = 0; i < row.size(); ++i) {
            fastest[i] = std::min(fastest[i], row[i]);
        }
    }
    return fastest;
}

/// `time` divided by `fastest`; `missed` if it was missed. Equal times have the ratio 1, even if both are 0.
double ratio(double time, double fastest) { return time == missed ? missed : time == fastest ? 1.0 : time / fastest; }

}  // namespace

PerformanceProfile::PerformanceProfile(std::vector<double> ratios) : ratios_(std::move(ratios)) {
    CRESCENDO_EXPECT(!ratios_.empty());
    std::sort(ratios_.begin(), ratios_.end());
    CRESCENDO_EXPECT(ratios_.front() >= 1);
}

double PerformanceProfile::at(double tau) const {
    const auto count = std::upper_bound(ratios_.begin(), ratios_.end(), tau) - ratios_.begin();
    return static_cast<double>(count) / static_cast<double>(ratios_.size());
}

double PerformanceProfile::score(double r_max) const {
    CRESCENDO_EXPECT(r_max > 1 && std::isfinite(r_max));
    double area = 0;
    for (const double ratio : ratios_) {
        area += std::max(0.0, r_max - ratio);
    }
    return std::min(1.0, area / (static_cast<double>(ratios_.size()) * (r_max - 1)));  // rounding may exceed 1
}

double PerformanceProfile::score(double r_max, int num_points) const {
    CRESCENDO_EXPECT(r_max > 1 && std::isfinite(r_max) && num_points >= 2);
    // The product comes before the quotient, so that taus that are whole numbers are exact.
    const auto tau = [&](int i) { return 1 + i * (r_max - 1) / (num_points - 1); };
    double sum = (at(1) + at(r_max)) / 2;
    for (int i = 1; i < num_points - 1; ++i) {
        sum += at(tau(i));
    }
    return sum / (num_points - 1);
}

Times counted_times(Times times, const Variants& variants, double r_max) {
    for (auto& row : times) {
        CRESCENDO_EXPECT(row.size() == variants.size());
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (variants[i] && row[*variants[i]] == missed) {
                row[i] = missed;
            }
        }
    }
    const auto fastest = times.empty() ? std::vector<double>() : fastest_times(times);
    Times counted;
    for (auto& row : times) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (row[i] > r_max * fastest[i]) {
                row[i] = missed;
            }
        }
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (variants[i] && row[i] == missed) {
                row[*variants[i]] = missed;
            }
        }
        auto& bases = counted.emplace_back();
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (!variants[i]) {
                bases.push_back(row[i]);
            }
        }
    }
    return counted;
}

std::vector<PerformanceProfile> performance_profiles(const Times& times) {
    std::vector<PerformanceProfile> profiles;
    const auto fastest = times.empty() ? std::vector<double>() : fastest_times(times);
    for (const auto& row : times) {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < row.size(); ++i) {
            ratios.push_back(ratio(row[i], fastest[i]));
        }
        profiles.emplace_back(std::move(ratios));
    }
    return profiles;
}

double time_over_baseline(const std::vector<double>& times, const std::vector<double>& baseline,
                          const std::vector<double>& max_seconds) {
    CRESCENDO_EXPECT(times.size() == baseline.size() && times.size() == max_seconds.size());
    const auto counted = [](double time, double most) { return time == missed ? most + 1 : time; };
    std::vector<double> ratios;
    for (std::size_t i = 0; i < times.size(); ++i) {
        ratios.push_back(counted(times[i], max_seconds[i]) / counted(baseline[i], max_seconds[i]));
    }
    return geometric_mean(ratios);
}

}  // namespace crescendo::analysis
