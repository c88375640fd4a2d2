#include "launch/coordinator/identical_reports.hpp"

#include <algorithm>

namespace crescendo::launch {

bool IdenticalReports::note(const Config& config, Resource resource, const std::map<std::string, double>& metrics) {
    constexpr std::size_t enough = 3;
    if (is_done_) {
        return false;
    }
    if (!first_) {
        first_ = Report{resource, metrics};
    }
    // NaN equals nothing: trials that diverge say nothing about their arguments.
    if (resource != first_->resource || metrics != first_->metrics) {
        is_done_ = true;
        return false;
    }
    if (std::ranges::find(configs_, config) == configs_.end()) {
        configs_.push_back(config);
    }
    is_done_ = configs_.size() == enough;
    return is_done_;
}

}  // namespace crescendo::launch
