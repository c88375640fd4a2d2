#pragma once

#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "core/trial_protocol.hpp"
#include "core/value.hpp"

namespace crescendo::launch {

/// What a program seems to ignore.
enum class Unused { nothing, parameters, seed };

/// Finds trials whose first reports are equal, bit for bit. Then their program seems to ignore its parameters or, if
/// the configurations are equal too, its seed.
class IdenticalReports {
  public:
    /// Notes a trial's first report in this session. Returns what seems to be ignored once three trials have reported
    /// the same values. Does so only once, and never after a report that differs.
    Unused note(const Config& config, Resource resource, const protocol::Metrics& metrics);

    /// Whether further reports can no longer change anything.
    bool is_done() const { return is_done_; }

  private:
    struct Report {
        Resource resource;
        protocol::Metrics metrics;
    };

    std::optional<Report> first_;
    std::vector<Config> configs_;  ///< distinct configurations with equal reports
    int num_trials_ = 0;           ///< number of trials with these configurations
    bool is_done_ = false;
};

}  // namespace crescendo::launch
