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

/// Finds sweeps whose reports are well formed but show a mistake: the program ignores its parameters, counts something
/// else than `max` does, reports only at the end, diverges in every trial, leaves samples out, or does not time its
/// steps although growth must pay off. Reports each mistake once.
class ReportWatch {
  public:
    /// Both arguments must outlive the watch.
    ReportWatch(const SweepFile& file, const SweepDirectory& directory) : file_(file), directory_(directory) {}

    /// Notes a valid report before the sweep takes it. `loss` is the loss of its metric, and `before` the resource of
    /// the trial's previous report. Returns messages for the user.
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
    std::set<TrialId> diverged_;  ///< trials that reported a non-finite number, until any trial reports a finite one
    bool is_any_finite_ = false;
    bool told_of_end_ = false;
    bool told_of_rungs_ = false;
    bool looked_for_steps_ = false;
    bool told_of_samples_ = false;
};

}  // namespace crescendo::launch
