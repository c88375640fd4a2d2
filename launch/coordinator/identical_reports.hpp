#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/value.hpp"

namespace crescendo::launch {

/// Finds trials with different configurations whose first reports are the same, bit for bit: their program seems not to
/// use its parameters.
class IdenticalReports {
  public:
    /// Notes the first report of a trial in this session. Returns whether three trials have now reported the same.
    /// Returns true only once, and never after a report that differs.
    bool note(const Config& config, Resource resource, const std::map<std::string, double>& metrics);

    /// Whether further reports could change anything.
    bool is_done() const { return is_done_; }

  private:
    struct Report {
        Resource resource;
        std::map<std::string, double> metrics;
    };

    std::optional<Report> first_;
    std::vector<Config> configs_;  ///< different configurations whose reports were the same
    bool is_done_ = false;
};

}  // namespace crescendo::launch
