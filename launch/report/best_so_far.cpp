#include "launch/report/best_so_far.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "core/trial_protocol.hpp"

namespace crescendo::launch {
namespace {

std::vector<TimedValue> reports_of_trials(const History& history) {
    std::vector<TimedValue> reports;
    for (const auto& trial : history.sweep().trials()) {
        for (const auto& report : history.of(trial.id).reports) {
            reports.push_back({report.time, trial.id, metric_of(report, history.sweep().spec().metric)});
        }
    }
    return reports;
}

/// A trial's report at `resource`. If the trial ended before that, its last report counts instead.
const TrialReport* report_at(const Trial& trial, const std::vector<TrialReport>& reports, Resource resource) {
    const auto at = std::ranges::lower_bound(reports, resource, {}, &TrialReport::resource);
    if (at != reports.end()) {
        return at->resource == resource ? &*at : nullptr;
    }
    return trial.ended() && !reports.empty() ? &reports.back() : nullptr;
}

/// With repetitions, a configuration has a value at each resource that all its trials have reported, except failed
/// ones, from the time of the last of these reports. The value is listed under the configuration's first trial.
std::vector<TimedValue> reports_of_configurations(const History& history) {
    const auto& spec = history.sweep().spec();
    std::vector<TimedValue> reports;
    for (const auto& candidate : history.sweep().candidates()) {
        const auto first = spec.repeat.first_of(candidate.id);
        std::vector<const Trial*> counted;
        std::set<Resource> resources;
        for (const auto& trial : history.sweep().repetitions_of(first)) {
            if (trial.status == TrialStatus::failed) {
                continue;
            }
            counted.push_back(&trial);
            for (const auto& report : history.of(trial.id).reports) {
                resources.insert(report.resource);
            }
        }
        for (const auto resource : resources) {
            double time = 0;
            std::vector<double> losses;
            for (const auto* trial : counted) {
                if (const auto* report = report_at(*trial, history.of(trial->id).reports, resource)) {
                    time = std::max(time, report->time);
                    losses.push_back(to_loss(spec.goal, metric_of(*report, spec.metric)));
                }
            }
            if (losses.size() == counted.size()) {
                reports.push_back({time, first, from_loss(spec.goal, judged_loss(spec.repeat.judge, losses))});
            }
        }
    }
    return reports;
}

}  // namespace

double metric_of(const TrialReport& report, const std::string& metric) {
    return protocol::find_metric(report.metrics, metric).value_or(std::numeric_limits<double>::quiet_NaN());
}

std::vector<TimedValue> best_so_far(const History& history) {
    const auto& spec = history.sweep().spec();
    auto reports = spec.repeat.is_on() ? reports_of_configurations(history) : reports_of_trials(history);
    std::ranges::stable_sort(reports, {}, &TimedValue::time);
    double best = std::numeric_limits<double>::infinity();
    std::erase_if(reports, [&](const TimedValue& report) {
        const double loss = to_loss(spec.goal, report.value);
        const bool is_better = loss < best;
        best = is_better ? loss : best;
        return !is_better;
    });
    return reports;
}

}  // namespace crescendo::launch
