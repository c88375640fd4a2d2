#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace crescendo::analysis {

/// Seconds to the target: a row for each submission, a column for each workload. All rows have the same length.
/// Infinity: the submission missed the target.
using Times = std::vector<std::vector<double>>;

/// For each workload that is a held-out variant, the column of its base workload; nothing for a base workload.
using Variants = std::vector<std::optional<std::size_t>>;

/// The share of workloads on which a submission is within a factor of the fastest one.
///
/// Source: Dolan and Moré, "Benchmarking optimization software with performance profiles", Mathematical Programming 91
/// (2002), section 2. The score is that of AlgoPerf (Dahl et al., "Benchmarking Neural Network Training Algorithms",
/// 2023, section 4).
class PerformanceProfile {
  public:
    /// `ratios`: for each workload, the submission's time divided by that of the fastest submission: at least 1, and
    /// infinite if the submission missed. Must not be empty.
    explicit PerformanceProfile(std::vector<double> ratios);

    /// Share of workloads with a ratio of at most `tau`, in [0, 1]. It never falls as `tau` grows.
    double at(double tau) const;

    /// The exact integral of at() from 1 to `r_max`, divided by `r_max` - 1: in [0, 1], and 1 for a submission that is
    /// the fastest everywhere. `r_max` must be above 1 and finite.
    double score(double r_max) const;

    /// The score by the trapezoidal rule over `num_points` >= 2 equally spaced values of tau from 1 to `r_max`, as
    /// AlgoPerf's own scorer computes it. It differs from the exact score by at most 1 / (2 * (num_points - 1)).
    double score(double r_max, int num_points) const;

  private:
    std::vector<double> ratios_;  // in ascending order
};

/// Times of the base workloads that count towards profiles, in the order of their columns; the others are infinite.
///
/// A time counts if it is at most `r_max` times the fastest time of its workload. For a base workload with variants,
/// the submission's times of all its variants must count as well. The fastest time of a variant is the fastest among
/// submissions that reached the target of the variant's base. `variants` has an entry for each column; a base must not
/// be a variant itself.
Times counted_times(Times times, const Variants& variants, double r_max);

/// The profile of each submission. `times` must have at least one workload. If all submissions missed a workload, its
/// ratios are infinite.
std::vector<PerformanceProfile> performance_profiles(const Times& times);

/// Geometric mean, over workloads, of a submission's time divided by the baseline's. A missed time counts as the
/// workload's `max_seconds` plus one second. All three vectors have an entry for each workload, at least one. Infinite
/// or NaN only if a time or a limit that is needed is 0 or infinite.
double time_over_baseline(const std::vector<double>& times, const std::vector<double>& baseline,
                          const std::vector<double>& max_seconds);

}  // namespace crescendo::analysis
