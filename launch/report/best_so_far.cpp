#include "launch/report/best_so_far.hpp"

#include <algorithm>
#include <limits>

namespace crescendo::launch {

double metric_of(const TrialReport& report, const std::string& metric) {
    const auto found = report.metrics.find(metric);
    return found == report.metrics.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

std::vector<Improvement> best_so_far(const History& history) {
    const auto& spec = history.sweep().spec();
    std::vector<Improvement> reports;
    for (const auto& trial : history.sweep().trials()) {
        for (const auto& report : history.of(trial.id).reports) {
            reports.push_back({report.time, trial.id, metric_of(report, spec.metric)});
        }
    }
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
