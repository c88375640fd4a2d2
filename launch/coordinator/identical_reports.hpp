#pragma once

#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "core/trial_protocol.hpp"
#include "core/value.hpp"

namespace crescendo::launch {

/// What a program seems not to use.
enum class Unused { nothing, parameters, seed };

/// Finds trials whose first reports are the same, bit for bit: their program seems not to use its parameters, or, where
/// the configurations are the same too, not its seed.
class IdenticalReports {
  public:
    /// Notes the first report of a trial in this session. Returns what seems not to be used, if three trials have now
    /// reported the same. Does so only once, and never after a report that differs.
    Unused note(const Config& config, Resource resource, const protocol::Metrics& metrics);

    /// Whether further reports could change anything.
    bool is_done() const { return is_done_; }

  private:
    struct Report {
        Resource resource;
        protocol::Metrics metrics;
    };

    std::optional<Report> first_;
    std::vector<Config> configs_;  ///< different configurations whose reports were the same
    int num_trials_ = 0;           ///< trials of these
    bool is_done_ = false;
};

}  // namespace crescendo::launch
