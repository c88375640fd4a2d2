#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/curve.hpp"
#include "analysis/statistics.hpp"

namespace crescendo::analysis {

/// What a quality is paid for with.
enum class Axis { seconds, cost };

inline double at(const Point& point, Axis axis) { return axis == Axis::seconds ? point.seconds : point.cost; }

/// Indices of the points that no other point beats: none is as cheap and better, or as good and cheaper. They are in
/// the order of the axis, with strictly falling losses. Of equal points, the first counts. O(n log n).
std::vector<std::size_t> pareto_set(std::span<const Point> points, Axis axis);

/// The envelope of curves that share one clock, or one budget: a point for each improvement of the best loss so far.
/// In the order of the axis, with strictly falling losses.
std::vector<Point> best_so_far(std::span<const Curve> curves, Axis axis);

/// The best loss of an envelope at a price of at most `x`; +infinity before the first point. O(log n).
double loss_at(std::span<const Point> envelope, Axis axis, double x);

/// How good repeated searches were at one price.
struct MedianPoint {
    double price = 0;     ///< on the axis
    double loss = 0;      ///< median over searches of the best loss so far, which is +infinity before the first loss
    Interval interval{};  ///< confidence interval of the median; its ends may be infinite
};

/// The median over the envelopes of several searches: a point for each price at which the median or its interval
/// improves. `envelopes` must not be empty. In the order of the axis, with finite losses that never rise, so there is
/// no point as long as half of the searches have no loss.
std::vector<MedianPoint> median_envelope(std::span<const std::vector<Point>> envelopes, Axis axis);

}  // namespace crescendo::analysis
