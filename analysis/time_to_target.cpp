#include "analysis/time_to_target.hpp"

#include <algorithm>

#include "core/median.hpp"

namespace crescendo::analysis {

const Point* first_to_meet(const Curve& curve, const Target& target) {
    for (const auto& point : curve.points()) {
        if (point.seconds > target.max_seconds) {
            return nullptr;
        }
        if (point.loss <= target.loss) {
            return &point;
        }
    }
    return nullptr;
}

double time_to_target(const Curve& curve, const Target& target) {
    const auto* point = first_to_meet(curve, target);
    return point != nullptr ? point->seconds : missed;
}

double time_to_target(const Study& study, const Target& target) {
    double fastest = missed;
    for (const auto& curve : study) {
        fastest = std::min(fastest, time_to_target(curve, target));
    }
    return fastest;
}

double time_to_target(const std::vector<Study>& studies, const Target& target) {
    std::vector<double> times;
    for (const auto& study : studies) {
        times.push_back(time_to_target(study, target));
    }
    return median(std::move(times));
}

}  // namespace crescendo::analysis
