#include "analysis/curve.hpp"

#include <cmath>

#include "core/check.hpp"

namespace crescendo::analysis {

void Curve::add(const Point& point) {
    CRESCENDO_EXPECT(std::isfinite(point.seconds) && std::isfinite(point.cost) && !std::isnan(point.loss));
    CRESCENDO_EXPECT(points_.empty() || (point.seconds >= points_.back().seconds && point.cost >= points_.back().cost));
    points_.push_back(point);
}

}  // namespace crescendo::analysis
