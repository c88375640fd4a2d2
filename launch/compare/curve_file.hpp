#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/performance_profile.hpp"
#include "analysis/time_to_target.hpp"
#include "scheduler/sweep_spec.hpp"

namespace crescendo::launch {

/// Called with the number of bytes read so far, and with the total.
using ReadProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// A workload: a task to learn, the target to reach, and the time limit.
struct Workload {
    std::string name;
    Goal goal = Goal::minimize;
    analysis::Target target;
    std::optional<std::size_t> base;  ///< index of the workload that it is a held-out variant of
};

/// Reads workloads from a CSV file with the columns `workload`, `target`, `goal` (minimize or maximize) and
/// `max_seconds` (may be empty: no limit), and optionally `base` (the name of another workload, or empty). Throws
/// InvalidInput with file and line.
std::vector<Workload> read_workloads(const std::filesystem::path& path);

/// Learning curves of one submission.
struct Submission {
    std::string name;
    std::vector<std::vector<analysis::Study>> studies;
};

/// Reads curves from a CSV file with the columns `submission`, `workload`, `study`, `trial`, `seconds` and `value`,
/// with one row for each evaluation. The rows of a trial are in order of time; rows of different trials may be
/// interleaved. Returns the submissions sorted by name. Throws InvalidInput with file and line.
std::vector<Submission> read_curves(const std::filesystem::path& path, const std::vector<Workload>& workloads,
                                    const ReadProgress& progress);

/// Prices of computing time, in US dollars per hour.
class Prices {
  public:
    /// No price is known.
    Prices() = default;

    /// Reads prices from a CSV file with the columns `submission` and `usd_per_hour`, and optionally `workload`. A row
    /// without a workload is for all workloads that have no row of their own. Throws InvalidInput with file and line.
    explicit Prices(const std::filesystem::path& path);

    bool empty() const { return prices_.empty(); }

    /// Dollars per hour of the submission on a workload; nothing if no price is known.
    std::optional<double> per_hour(const std::string& submission, const std::string& workload = {}) const;

  private:
    std::map<std::pair<std::string, std::string>, double> prices_;  ///< by submission and workload
};

}  // namespace crescendo::launch
