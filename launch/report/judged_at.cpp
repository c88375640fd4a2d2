#include "launch/report/judged_at.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "launch/report/best_so_far.hpp"
#include "scheduler/ending.hpp"
#include "scheduler/loss.hpp"
#include "scheduler/samplers/results.hpp"

namespace crescendo::launch {
namespace {

/// Whether the last value of a trial is its final value, by the same rule as in samplers.
bool is_complete(const Trial& trial, const SweepSpec& spec) {
    const bool has_rungs = Results::milestones_of(spec.scheduler).size() > 1;
    return ending_of(trial.reason, trial.loss.has_value(), has_rungs) == Ending::complete;
}

/// The metric of a trial when it crossed a milestone, as a loss. A trial without a maximum crosses the last milestone
/// when it is complete.
std::optional<double> loss_at(const Trial& trial, const TrialHistory& history, Resource milestone,
                              const SweepSpec& spec) {
    const auto& reports = history.reports;
    auto crossed = std::ranges::lower_bound(reports, milestone, {}, &TrialReport::resource);
    if (crossed == reports.end() && milestone >= unlimited_resource && !reports.empty() && is_complete(trial, spec)) {
        --crossed;
    }
    if (crossed == reports.end()) {
        return std::nullopt;
    }
    return to_loss(spec.goal, metric_of(*crossed, spec.metric));
}

}  // namespace

std::optional<double> judged_at(const History& history, TrialId configuration, Resource milestone) {
    const auto& spec = history.sweep().spec();
    std::vector<double> losses;
    for (const auto& trial : history.sweep().repetitions_of(spec.repeat.first_of(configuration))) {
        if (const auto loss = loss_at(trial, history.of(trial.id), milestone, spec)) {
            losses.push_back(*loss);
        } else if (!trial.ended()) {
            return std::nullopt;
        }
    }
    const double judged = losses.empty() ? worst_loss : judged_loss(spec.repeat.judge, losses);
    return std::isfinite(judged) ? std::optional(from_loss(spec.goal, judged)) : std::nullopt;
}

}  // namespace crescendo::launch
