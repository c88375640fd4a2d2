#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launch/coordinator/identical_reports.hpp"
#include "launch/directory/sweep_directory.hpp"
#include "launch/messages/messages.hpp"
#include "launch/sweep_file/sweep_file.hpp"
#include "scheduler/sweep/sweep.hpp"

namespace crescendo::launch {

/// Finds sweeps whose reports are well formed, and yet show that something is amiss: the program does not use its
/// parameters, counts something else than `max` does, reports only at the end, diverges in every trial, leaves
/// samples out, or does not time the steps that growth is to pay by. Each is told once.
class ReportWatch {
  public:
    /// Both must outlive the watch.
    ReportWatch(const SweepFile& file, const SweepDirectory& directory) : file_(file), directory_(directory) {}

    /// Notes a report that counts, before the sweep has it. `loss` is its metric's, and `before` the last resource that
    /// the trial has reported. Returns what the user is to be told.
    std::vector<std::string> note(const protocol::Report& report, double loss, Resource before, const Sweep& sweep);

  private:
    std::optional<std::string> unused(const protocol::Report& report, const Sweep& sweep);
    std::optional<std::string> end_at_once(const protocol::Report& report, const Sweep& sweep);
    std::optional<std::string> skipped_rungs(const protocol::Report& report, Resource before, const Sweep& sweep);
    std::optional<std::string> untimed_steps(const protocol::Report& report, const Sweep& sweep);
    std::optional<std::string> left_out_samples(const protocol::Report& report);
    std::optional<std::string> divergence(TrialId trial, double loss, const Sweep& sweep);

    const SweepFile& file_;
    const SweepDirectory& directory_;
    IdenticalReports identical_reports_;
    std::set<TrialId> diverged_;  ///< trials that reported what is no finite number, as long as none is finite
    bool is_any_finite_ = false;
    bool told_of_end_ = false;
    bool told_of_rungs_ = false;
    bool told_of_steps_ = false;
    bool told_of_samples_ = false;
};

}  // namespace crescendo::launch
