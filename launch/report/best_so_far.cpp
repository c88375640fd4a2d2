#include "launch/report/best_so_far.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace crescendo::launch {
namespace {

std::vector<Improvement> reports_of_trials(const History& history) {
    std::vector<Improvement> reports;
    for (const auto& trial : history.sweep().trials()) {
        for (const auto& report : history.of(trial.id).reports) {
            reports.push_back({report.time, trial.id, metric_of(report, history.sweep().spec().metric)});
        }
    }
    return reports;
}

/// A configuration has a value wherever all its repetitions that did not fail have reported, once the last of them has.
/// It stands under its first trial.
std::vector<Improvement> reports_of_configurations(const History& history) {
    const auto& spec = history.sweep().spec();
    std::vector<Improvement> reports;
    for (const auto& candidate : history.sweep().candidates()) {
        const auto first = spec.repeat.first_of(candidate.id);
        std::map<Resource, std::pair<double, std::vector<double>>> seen;  // when last, and all losses
        std::size_t num_counted = 0;
        for (int i = 0; i < spec.repeat.times; ++i) {
            const auto& trial = history.sweep().trial(TrialId{first.value + i});
            if (trial.status == TrialStatus::failed) {
                continue;
            }
            ++num_counted;
            for (const auto& report : history.of(trial.id).reports) {
                auto& [time, losses] = seen[report.resource];
                time = std::max(time, report.time);
                losses.push_back(to_loss(spec.goal, metric_of(report, spec.metric)));
            }
        }
        for (const auto& [resource, at] : seen) {
            if (at.second.size() == num_counted) {
                reports.push_back({at.first, first, from_loss(spec.goal, judged_loss(spec.repeat.judge, at.second))});
            }
        }
    }
    return reports;
}

}  // namespace

double metric_of(const TrialReport& report, const std::string& metric) {
    const auto found = report.metrics.find(metric);
    return found == report.metrics.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

std::vector<Improvement> best_so_far(const History& history) {
    const auto& spec = history.sweep().spec();
    auto reports = spec.repeat.is_on() ? reports_of_configurations(history) : reports_of_trials(history);
    std::ranges::stable_sort(reports, {}, &Improvement::time);
    double best = std::numeric_limits<double>::infinity();
    std::erase_if(reports, [&](const Improvement& report) {
        const double loss = to_loss(spec.goal, report.value);
        const bool is_better = loss < best;
        best = is_better ? loss : best;
        return !is_better;
    });
    return reports;
}

}  // namespace crescendo::launch
