#include "analysis/quality_cost.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

#include "core/median.hpp"

namespace crescendo::analysis {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

std::vector<std::size_t> pareto_set(std::span<const Point> points, Axis axis) {
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::tuple(at(points[i], axis), points[i].loss, i); });
    std::vector<std::size_t> best;
    for (const auto i : order) {
        if (best.empty() || points[i].loss < points[best.back()].loss) {
            best.push_back(i);
        }
    }
    return best;
}

std::vector<Point> best_so_far(std::span<const Curve> curves, Axis axis) {
    std::vector<Point> points;
    for (const auto& curve : curves) {
        points.insert(points.end(), curve.points().begin(), curve.points().end());
    }
    std::vector<Point> envelope;
    for (const auto i : pareto_set(points, axis)) {
        envelope.push_back(points[i]);
    }
    return envelope;
}

double loss_at(std::span<const Point> envelope, Axis axis, double x) {
    const auto after = std::ranges::upper_bound(envelope, x, {}, [&](const Point& point) { return at(point, axis); });
    return after == envelope.begin() ? infinity : std::prev(after)->loss;
}

std::vector<MedianPoint> median_envelope(std::span<const std::vector<Point>> envelopes, Axis axis) {
    std::set<double> prices;
    for (const auto& envelope : envelopes) {
        for (const auto& point : envelope) {
            prices.insert(at(point, axis));
        }
    }
    const MedianBootstrap bootstrap(envelopes.size());
    std::vector<MedianPoint> medians;
    for (const double price : prices) {
        std::vector<double> losses;
        for (const auto& envelope : envelopes) {
            losses.push_back(loss_at(envelope, axis, price));
        }
        const MedianPoint point{price, median(losses), bootstrap.interval(losses)};
        const bool is_new =
            medians.empty() || point.loss != medians.back().loss || point.interval != medians.back().interval;
        if (std::isfinite(point.loss) && is_new) {
            medians.push_back(point);
        }
    }
    return medians;
}

}  // namespace crescendo::analysis
