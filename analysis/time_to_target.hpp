#pragma once

#include <limits>
#include <vector>

#include "analysis/curve.hpp"

namespace crescendo::analysis {

/// The time, cost or ratio of a target that was never reached.
inline constexpr double missed = std::numeric_limits<double>::infinity();

/// A quality to reach, and the time limit for it.
struct Target {
    double loss = 0;              ///< a point with this loss, or a lower one, meets the target
    double max_seconds = missed;  ///< a point after this time is too late
};

/// The first point of `curve` that meets the target in time; null if there is none. `curve` owns the point.
const Point* first_to_meet(const Curve& curve, const Target& target);

/// Seconds until `curve` first meets the target, or `missed`.
double time_to_target(const Curve& curve, const Target& target);

/// Trials of one independent search.
using Study = std::vector<Curve>;

/// Seconds of the fastest trial to the target, or `missed`.
double time_to_target(const Study& study, const Target& target);

/// The median of time_to_target() over studies. A study that missed the target counts as infinity. For an even number
/// of studies, the mean of the two in the middle, which is `missed` if one of them is. `studies` must not be empty.
///
/// Source: the per-workload score of AlgoPerf (Dahl et al., "Benchmarking Neural Network Training Algorithms", 2023,
/// section 4).
double time_to_target(const std::vector<Study>& studies, const Target& target);

}  // namespace crescendo::analysis
