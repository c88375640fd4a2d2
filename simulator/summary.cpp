#include "simulator/summary.hpp"

#include <algorithm>

namespace crescendo::simulator {

double Summary::utilization() const { return makespan > 0 ? slot_seconds_used / slot_seconds() : 0.0; }

std::optional<double> Summary::best_by(double seconds) const {
    const auto later = std::partition_point(best_over_time.begin(), best_over_time.end(),
                                            [seconds](const BestSoFar& each) { return each.seconds <= seconds; });
    return later == best_over_time.begin() ? std::nullopt : std::optional(std::prev(later)->loss);
}

std::optional<double> Summary::seconds_to(double loss) const {
    const auto reached = std::partition_point(best_over_time.begin(), best_over_time.end(),
                                              [loss](const BestSoFar& each) { return each.loss > loss; });
    return reached == best_over_time.end() ? std::nullopt : std::optional(reached->seconds);
}

}  // namespace crescendo::simulator
