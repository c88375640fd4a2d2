#include "launch/view/progress.hpp"

#include <algorithm>

namespace crescendo::launch {
namespace {

bool has_begun(const Trial& trial) { return trial.group.generation >= 0; }

/// Probability of surviving a rung: 1/eta at first, then increasingly the observed frequency.
double survival(const Sweep& sweep) {
    double judged = 0;
    double survived = 0;
    for (const auto& trial : sweep.trials()) {
        survived += trial.rungs_survived;
        judged += trial.rungs_survived + (trial.status == TrialStatus::stopped ? 1 : 0);
    }
    return (survived + 1.0) / (judged + sweep.spec().scheduler.reduction_factor);
}

/// The resource at which a trial ends if no rung stops it: `max`, or that of the longest program that ended by itself.
std::optional<Resource> end_of_trials(const Sweep& sweep) {
    return sweep.spec().scheduler.has_max() ? sweep.spec().scheduler.max : last_end(sweep);
}

/// Number of slots that this many trials can use at once.
int num_usable_slots(const Sweep& sweep, int num_trials) {
    const auto& scheduler = sweep.spec().scheduler;
    const bool grows = scheduler.kind == SchedulerKind::rasda;
    const std::int64_t workers = grows ? sweep.max_workers() : std::min(scheduler.workers, sweep.max_workers());
    const std::int64_t trials = std::min(num_trials, scheduler.max_concurrent.value_or(num_trials));
    return static_cast<int>(std::clamp<std::int64_t>(workers * trials, 1, std::max(1, sweep.num_slots())));
}

/// Resource that a trial with this next milestone is expected to consume, if it ends at `last` or earlier.
double expected_end(const std::vector<RungSize>& rungs, Resource next_milestone, double chance, Resource last) {
    const auto until = [&](Resource milestone) { return static_cast<double>(std::min(milestone, last).value); };
    double end = until(next_milestone);
    double reach = 1.0;
    for (std::size_t k = 1; k < rungs.size(); ++k) {
        if (rungs[k].milestone > next_milestone) {
            reach *= chance;
            end += reach * (until(rungs[k].milestone) - until(rungs[k - 1].milestone));
        }
    }
    return end;
}

}  // namespace

int num_begun(const Sweep& sweep) { return static_cast<int>(std::ranges::count_if(sweep.trials(), has_begun)); }

Progress progress_of(const History& history, double now, std::optional<double> time_budget) {
    const auto& sweep = history.sweep();
    const double chance = survival(sweep);
    const auto rungs = sweep.rungs();
    const auto last = end_of_trials(sweep);
    Progress progress;
    progress.running = sweep.count(TrialStatus::running);
    progress.paused = sweep.count(TrialStatus::paused);
    progress.finished = sweep.count(TrialStatus::finished);
    progress.failed = sweep.count(TrialStatus::failed);
    double done = 0;
    double left = 0;
    for (const auto& trial : sweep.trials()) {
        done += static_cast<double>(trial.resource.value);
        if (has_begun(trial)) {
            progress.waiting += trial.status == TrialStatus::waiting ? 1 : 0;
            progress.held += trial.status == TrialStatus::held ? 1 : 0;
            progress.stopped += trial.status == TrialStatus::stopped ? 1 : 0;
        }
        if (!trial.ended() && last) {
            left += std::max(0.0, expected_end(rungs, sweep.next_milestone(trial.id), chance, *last) -
                                      static_cast<double>(trial.resource.value));
        }
    }
    if (sweep.state() != SweepState::running) {
        progress.fraction = 1.0;
        progress.seconds_left = 0.0;
        return progress;
    }
    if (sweep.spec().run_cap && last) {
        const int num_trials = *sweep.spec().run_cap * sweep.spec().repeat.times;
        const int num_to_come = std::max(0, num_trials - static_cast<int>(sweep.trials().size()));
        left += num_to_come * expected_end(rungs, rungs.front().milestone, chance, *last);
        progress.fraction = done / std::max(1.0, done + left);
        // How long a user takes to release a trial, or a sampler to propose one, is unknown.
        const bool stands_still = sweep.waits_for_release() || (sweep.awaited_proposal() && progress.running == 0);
        if (done > 0 && sweep.num_slots() > 0 && !stands_still) {
            const auto num_open = static_cast<int>(
                std::ranges::count_if(sweep.trials(), [](const Trial& trial) { return !trial.ended(); }));
            const int num_slots = num_usable_slots(sweep, num_open + num_to_come);
            progress.seconds_left = left * history.slot_seconds() / done / num_slots;
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

std::optional<Resource> last_end(const Sweep& sweep) {
    std::optional<Resource> last;
    for (const auto& trial : sweep.trials()) {
        if (trial.status == TrialStatus::finished) {
            last = std::max(last.value_or(trial.resource), trial.resource);
        }
    }
    return last;
}

bool has_reached(const Sweep& sweep, const Trial& trial, Resource milestone) {
    return trial.resource >= milestone && sweep.next_milestone(trial.id) >= milestone;
}

/// Counts trials again: the scheduler's rungs include trials that failed before them, so that it does not wait for
/// these.
std::vector<RungSize> shown_rungs(const Sweep& sweep) {
    auto rungs = sweep.rungs();
    if (sweep.spec().repeat.times == 1) {
        for (auto& rung : rungs) {
            rung.size = static_cast<std::size_t>(std::ranges::count_if(
                sweep.trials(), [&](const Trial& trial) { return has_reached(sweep, trial, rung.milestone); }));
        }
    }
    if (!sweep.spec().scheduler.has_max()) {
        while (rungs.size() > 1 && rungs.back().size == 0) {
            rungs.pop_back();
        }
        std::erase_if(rungs, [](const RungSize& rung) { return rung.milestone >= unlimited_resource; });
    }
    return rungs;
}

}  // namespace crescendo::launch
