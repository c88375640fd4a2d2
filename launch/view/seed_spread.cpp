#include "launch/view/seed_spread.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace crescendo::launch {
namespace {

std::vector<Cell> row_of(const std::string& name, const std::vector<double>& values) {
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    const double squares = std::accumulate(values.begin(), values.end(), 0.0, [&](double sum, double value) {
        return sum + (value - mean) * (value - mean);
    });
    const auto [least, greatest] = std::ranges::minmax(values);
    return {name, static_cast<std::int64_t>(values.size()), mean,
            values.size() > 1 ? Cell{std::sqrt(squares / (count - 1))} : Cell{}, least, greatest};
}

/// The finite numbers of the last reports of trials that finished, by metric.
std::map<std::string, std::vector<double>> numbers_of(const History& history) {
    std::map<std::string, std::vector<double>> values;
    for (const auto& trial : history.sweep().trials()) {
        const auto& reports = history.of(trial.id).reports;
        if (trial.status != TrialStatus::finished || reports.empty()) {
            continue;
        }
        for (const auto& [name, value] : reports.back().metrics) {
            if (std::isfinite(value)) {
                values[name].push_back(value);
            }
        }
    }
    return values;
}

}  // namespace

Table seed_spread(const History& history) {
    Table table({"metric", "seeds", "mean", "std", "min", "max"});
    for (const auto& [name, of_seeds] : numbers_of(history)) {
        table.add_row(row_of(name, of_seeds));
    }
    return table;
}

bool seeds_change_nothing(const History& history) {
    const auto values = numbers_of(history);
    return !values.empty() && std::ranges::all_of(values, [](const auto& metric) {
        const auto [least, greatest] = std::ranges::minmax(metric.second);
        return metric.second.size() > 1 && least == greatest;
    });
}

}  // namespace crescendo::launch
