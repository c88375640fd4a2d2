#include "scheduler/growth/regroup_times.hpp"

#include <iterator>

namespace crescendo {

std::optional<double> RegroupTimes::seconds(int from, int to) const {
    if (times_.empty()) {
        return std::nullopt;
    }
    const auto found = times_.lower_bound({to, from});
    return (found == times_.end() ? std::prev(found) : found)->second.median();
}

}  // namespace crescendo
