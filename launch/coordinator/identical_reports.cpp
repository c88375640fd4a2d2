#include "launch/coordinator/identical_reports.hpp"

#include <algorithm>

namespace crescendo::launch {

Unused IdenticalReports::note(const Config& config, Resource resource, const protocol::Metrics& metrics) {
    constexpr int enough = 3;
    if (is_done_) {
        return Unused::nothing;
    }
    if (!first_) {
        first_ = Report{resource, metrics};
    }
    // NaN equals nothing, so trials that diverge say nothing about unused arguments.
    if (resource != first_->resource || metrics != first_->metrics) {
        is_done_ = true;
        return Unused::nothing;
    }
    if (std::ranges::find(configs_, config) == configs_.end()) {
        configs_.push_back(config);
    }
    const bool has_one_config = ++num_trials_ == enough && configs_.size() == 1;
    is_done_ = has_one_config || configs_.size() == enough;
    return has_one_config ? Unused::seed : is_done_ ? Unused::parameters : Unused::nothing;
}

}  // namespace crescendo::launch
