#include "launch/view/progress.hpp"

#include <algorithm>
#include <cmath>

namespace crescendo::launch {
namespace {

/// Chance to survive a rung: eta's share before anything was seen, what happened as evidence grows.
double survival(const Sweep& sweep) {
    double judged = 0;
    double survived = 0;
    for (const auto& trial : sweep.trials()) {
        survived += trial.rungs_survived;
        judged += trial.rungs_survived + (trial.status == TrialStatus::stopped ? 1 : 0);
    }
    return (survived + 1.0) / (judged + sweep.spec().scheduler.reduction_factor);
}

/// Resource that a trial with that next milestone is expected to consume in the end.
double expected_end(const std::vector<RungSize>& rungs, Resource next_milestone, double chance) {
    double end = static_cast<double>(next_milestone.value);
    double reach = 1.0;
    for (std::size_t k = 1; k < rungs.size(); ++k) {
        if (rungs[k].milestone > next_milestone) {
            reach *= chance;
            end += reach * static_cast<double>(rungs[k].milestone.value - rungs[k - 1].milestone.value);
        }
    }
    return end;
}

}  // namespace

Progress progress_of(const History& history, double now, std::optional<double> time_budget) {
    const auto& sweep = history.sweep();
    const double chance = survival(sweep);
    const auto rungs = sweep.rungs();
    Progress progress;
    double done = 0;
    double left = 0;
    for (const auto& trial : sweep.trials()) {
        done += static_cast<double>(trial.resource.value);
        switch (trial.status) {
            case TrialStatus::running:
                ++progress.running;
                break;
            case TrialStatus::waiting:
                progress.waiting += trial.group.generation >= 0 ? 1 : 0;  // else it has not started yet
                break;
            case TrialStatus::paused:
                ++progress.paused;
                break;
            case TrialStatus::held:
                ++progress.held;
                break;
            case TrialStatus::stopped:
                ++progress.stopped;
                break;
            case TrialStatus::finished:
                ++progress.finished;
                break;
            case TrialStatus::failed:
                ++progress.failed;
                break;
        }
        if (!trial.ended()) {
            left += std::max(0.0, expected_end(rungs, sweep.next_milestone(trial.id), chance) -
                                      static_cast<double>(trial.resource.value));
        }
    }
    if (sweep.state() != SweepState::running) {
        progress.fraction = 1.0;
        progress.seconds_left = 0.0;
        return progress;
    }
    if (sweep.spec().run_cap) {
        const int num_trials = *sweep.spec().run_cap * sweep.spec().repeat.times;
        const int num_to_come = std::max(0, num_trials - static_cast<int>(sweep.trials().size()));
        left += num_to_come * expected_end(rungs, rungs.front().milestone, chance);
        progress.fraction = done / std::max(1.0, done + left);
        if (done > 0 && sweep.num_slots() > 0) {
            progress.seconds_left = left * history.slot_seconds() / done / sweep.num_slots();
        }
    }
    if (time_budget) {
        const double elapsed = history.elapsed_at(now);
        const double by_time = *time_budget - elapsed;
        progress.fraction = std::max(progress.fraction.value_or(0.0), std::min(1.0, elapsed / *time_budget));
        progress.seconds_left = std::max(0.0, std::min(progress.seconds_left.value_or(by_time), by_time));
    }
    return progress;
}

}  // namespace crescendo::launch
