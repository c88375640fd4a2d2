#include "launch/coordinator/report_watch.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/shell_words.hpp"
#include "launch/messages/likely_metric.hpp"
#include "scheduler/loss.hpp"

namespace crescendo::launch {

std::vector<std::string> ReportWatch::note(const protocol::Report& report, double loss, Resource before,
                                           const Sweep& sweep) {
    const bool is_first = before.value == 0;
    // A program's epoch 0 is before any training, and may be the same for all trials.
    const auto& source = file_.supervision.report;
    const bool has_trained = source && source->counts_from == 0 ? before.value == 1 : is_first;
    std::vector<std::string> remarks;
    for (auto& remark :
         {has_trained ? unused(report, sweep) : std::nullopt, is_first ? end_at_once(report, sweep) : std::nullopt,
          has_trained ? skipped_rungs(report, before, sweep) : std::nullopt, untimed_steps(report, sweep),
          left_out_samples(report), divergence(report.trial, loss, sweep)}) {
        if (remark) {
            remarks.push_back(*remark);
        }
    }
    return remarks;
}

std::optional<std::string> ReportWatch::unused(const protocol::Report& report, const Sweep& sweep) {
    auto metrics = report.metrics;
    std::erase_if(metrics, [&](const auto& metric) {  // these differ even if the program ignores its parameters
        return metric.first != sweep.spec().metric && is_a_time(metric.first);
    });
    switch (identical_reports_.note(sweep.trial(report.trial).config, report.resource, metrics)) {
        case Unused::nothing:
            break;
        case Unused::parameters:
            return "three trials with different parameters report the same numbers, to the last digit; does the "
                   "program use its parameters?";
        case Unused::seed:
            return "three trials with the same parameters and different seeds report the same numbers, to the last "
                   "digit; does the program use its seed (CRESCENDO_SEED, or ${seed} in the command)?";
    }
    return {};
}

/// Finds programs that train each trial to its end with the first report: those that count steps while the file means
/// epochs, and those that print numbers only at the end, as some progress bars do.
std::optional<std::string> ReportWatch::end_at_once(const protocol::Report& report, const Sweep& sweep) {
    const auto& scheduler = sweep.spec().scheduler;
    const auto rungs = sweep.rungs();
    if (!scheduler.has_max() || report.resource < scheduler.max ||
        (report.resource == scheduler.max && rungs.size() < 2) || std::exchange(told_of_end_, true)) {
        return {};
    }
    if (report.resource == scheduler.max) {
        return fmt::format(
            "the first report of trial {} is at {}, where trials end, so no rung can stop a bad trial early; let the "
            "program report, or print, before that: the first rung is at {}",
            report.trial.value, report.resource.value, rungs.front().milestone.value);
    }
    return fmt::format(
        "the first report of trial {} is at {}, beyond scheduler.max ({}), so the trial is complete at once and no "
        "rung judges it; does the program count something else? max has the unit of the reports",
        report.trial.value, report.resource.value, scheduler.max.value);
}

/// Finds programs that count steps while `min` means epochs. Then one report is judged at many rungs, and hardly any
/// trial is among the best at all of them.
std::optional<std::string> ReportWatch::skipped_rungs(const protocol::Report& report, Resource before,
                                                      const Sweep& sweep) {
    const auto& scheduler = sweep.spec().scheduler;
    std::set<Resource> passed;
    for (const auto& rung : sweep.rungs()) {
        if (before < rung.milestone && rung.milestone <= report.resource && report.resource < scheduler.max) {
            passed.insert(rung.milestone);
        }
    }
    if (passed.size() < 2 || std::exchange(told_of_rungs_, true)) {
        return {};
    }
    return fmt::format(
        "the first report of trial {0}{1} is at {2}, so it is judged at {3} rungs at once, from {4} to {5}, and more "
        "trials stop than at one rung; put the first rung at the first report: scheduler: {{min: {6}}}",
        report.trial.value, before.value > 0 ? " after training" : "", report.resource.value, passed.size(),
        passed.begin()->value, passed.rbegin()->value, report.resource.value - before.value);
}

/// Growth that must pay off needs step times. crescendo-trainer lacks them only if an epoch is a single step. Only the
/// first report counts: programs that time their steps also lack them in a report of a group that has made no step.
std::optional<std::string> ReportWatch::untimed_steps(const protocol::Report& report, const Sweep& sweep) {
    const auto& scheduler = sweep.spec().scheduler;
    if (!file_.command || scheduler.kind != SchedulerKind::rasda || scheduler.grow_when == GrowWhen::always ||
        std::exchange(looked_for_steps_, true) || report.step_seconds) {
        return {};
    }
    return "the program's reports have no step_seconds, so trials grow even if more workers do not make them faster; "
           "report how long a step takes (docs/trial-protocol.md), or write scheduler: {grow_when: always}";
}

/// Even users who set `data.nan: skip` want to know how many samples were left out.
std::optional<std::string> ReportWatch::left_out_samples(const protocol::Report& report) {
    if (!report.samples_left_out || *report.samples_left_out == 0 || std::exchange(told_of_samples_, true)) {
        return {};
    }
    return fmt::format(
        "{:.3g} % of the samples read by trial {} have non-finite numbers, or no class, and are left out "
        "(trainer.data.nan: skip); `crescendo data stats` counts these numbers",
        100 * *report.samples_left_out, report.trial.value);
}

/// A resumed sweep may have a finite value from before.
std::optional<std::string> ReportWatch::divergence(TrialId trial, double loss, const Sweep& sweep) {
    constexpr std::size_t enough = 5;
    is_any_finite_ = is_any_finite_ || loss < worst_loss;
    if (is_any_finite_) {
        return {};
    }
    const bool is_new = diverged_.insert(trial).second;
    if (!is_new || diverged_.size() != enough || sweep.best()) {
        return {};
    }
    return fmt::format(
        "five trials have reported {}, but none of them a finite number, so no trial is better than another; does "
        "training diverge? `crescendo logs {} {}` shows the output of one of them",
        sweep.spec().metric, shell_quoted(directory_.path()), trial.value);
}

}  // namespace crescendo::launch
