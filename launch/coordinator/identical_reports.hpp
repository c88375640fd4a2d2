#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/value.hpp"

namespace crescendo::launch {

/// Looks out for trials with different configurations whose first reports are the same, bit for bit: their program
/// seems not to use what it is given.
class IdenticalReports {
  public:
    /// The first report of a trial in this session. Returns whether three trials have reported the same now; once only,
    /// and never after a report that differs.
    bool note(const Config& config, Resource resource, const std::map<std::string, double>& metrics);

    /// Whether further reports could change anything.
    bool is_done() const { return is_done_; }

  private:
    struct Report {
        Resource resource;
        std::map<std::string, double> metrics;
    };

    std::optional<Report> first_;
    std::vector<Config> configs_;  ///< different ones that reported that
    bool is_done_ = false;
};

}  // namespace crescendo::launch
