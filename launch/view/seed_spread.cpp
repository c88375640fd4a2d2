#include "launch/view/seed_spread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace crescendo::launch {
namespace {

constexpr std::size_t num_columns = 7;

/// Values of one metric, over finished trials.
struct Numbers {
    std::vector<double> finite = {};
    std::int64_t num_others = 0;  ///< NaN or infinite
};

std::vector<Cell> row_of(const std::string& name, const Numbers& numbers) {
    const auto& values = numbers.finite;
    std::vector<Cell> row{name, static_cast<std::int64_t>(values.size()),
                          numbers.num_others > 0 ? Cell{numbers.num_others} : Cell{}};
    if (values.empty()) {
        row.resize(num_columns);
        return row;
    }
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    const double squares = std::accumulate(values.begin(), values.end(), 0.0, [&](double sum, double value) {
        return sum + (value - mean) * (value - mean);
    });
    const auto [least, greatest] = std::ranges::minmax(values);
    row.insert(row.end(), {mean, values.size() > 1 ? Cell{std::sqrt(squares / (count - 1))} : Cell{}, least, greatest});
    return row;
}

/// The last reports of finished trials, by metric.
std::map<std::string, Numbers> numbers_of(const History& history) {
    std::map<std::string, Numbers> numbers;
    for (const auto& trial : history.sweep().trials()) {
        const auto& reports = history.of(trial.id).reports;
        if (trial.status != TrialStatus::finished || reports.empty()) {
            continue;
        }
        for (const auto& [name, value] : reports.back().metrics) {
            if (std::isfinite(value)) {
                numbers[name].finite.push_back(value);
            } else {
                ++numbers[name].num_others;
            }
        }
    }
    return numbers;
}

}  // namespace

Table seed_spread(const History& history) {
    Table table({"metric", "seeds", "not_finite", "mean", "std", "min", "max"});
    for (const auto& [name, of_seeds] : numbers_of(history)) {
        table.add_row(row_of(name, of_seeds));
    }
    return table;
}

std::string not_finite_text(const History& history) {
    const auto numbers = numbers_of(history);
    const auto found = numbers.find(history.sweep().spec().metric);
    if (found == numbers.end() || found->second.num_others == 0) {
        return "";
    }
    const auto& [name, of_seeds] = *found;
    return fmt::format("{} of {} seeds ended with a {} that is not finite; mean and std exclude them",
                       of_seeds.num_others, of_seeds.finite.size() + static_cast<std::size_t>(of_seeds.num_others),
                       name);
}

std::string unfinished_text(const History& history) {
    const auto& sweep = history.sweep();
    const int failed = sweep.count(TrialStatus::failed);
    const int stopped = sweep.count(TrialStatus::stopped);
    if (failed + stopped == 0) {
        return "";
    }
    return fmt::format("{} of {} seeds did not finish ({} failed, {} stopped); mean and std are those of the others",
                       failed + stopped, sweep.trials().size(), failed, stopped);
}

bool seeds_change_nothing(const History& history) {
    const auto numbers = numbers_of(history);
    return !numbers.empty() && std::ranges::all_of(numbers, [](const auto& metric) {
        const auto& values = metric.second.finite;
        return values.size() > 1 && std::ranges::min(values) == std::ranges::max(values) &&
               metric.second.num_others == 0;
    });
}

}  // namespace crescendo::launch
