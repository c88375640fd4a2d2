#include "simulator/fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/median.hpp"
#include "simulator/epoch_time.hpp"

namespace crescendo::simulator {
namespace {

/// A machine with more workers than cores can be slower with two than with one.
constexpr double most_loss = 0.95;

using Intervals = std::vector<Interval>;

/// The intervals after the first report.
Intervals later(const RecordedTrial& trial) {
    return trial.intervals.empty() ? Intervals{} : Intervals(trial.intervals.begin() + 1, trial.intervals.end());
}

std::optional<double> fit_loss(const std::vector<RecordedTrial>& trials) {
    std::vector<double> losses;
    for (const auto& trial : trials) {
        std::map<int, std::vector<double>> by_size;
        for (const auto& interval : later(trial)) {
            by_size[interval.workers].push_back(interval.seconds / interval.epochs);
        }
        for (auto size = by_size.begin(); size != by_size.end() && std::next(size) != by_size.end(); ++size) {
            const auto larger = std::next(size);
            const double doublings = std::log2(static_cast<double>(larger->first) / size->first);
            const double speedup = median(size->second) / median(larger->second);
            losses.push_back(1.0 - std::pow(speedup, 1.0 / doublings) / 2.0);
        }
    }
    return losses.empty() ? std::nullopt : std::optional(std::clamp(median(losses), 0.0, most_loss));
}

/// Seconds that an epoch of the interval would have taken one worker.
double alone(const Interval& interval, double loss) {
    return interval.seconds / interval.epochs * speedup(interval.workers, loss);
}

double fit_start(const std::vector<RecordedTrial>& trials, const std::vector<std::optional<double>>& epochs,
                 double loss) {
    std::vector<double> starts;
    for (std::size_t i = 0; i < trials.size(); ++i) {
        if (epochs[i]) {
            const auto& first = trials[i].intervals.front();
            starts.push_back(first.seconds - *epochs[i] * first.epochs / speedup(first.workers, loss));
        }
    }
    return starts.empty() ? 0.0 : std::max(0.0, median(starts));
}

}  // namespace

FittedTimes fit(const std::vector<RecordedTrial>& trials) {
    FittedTimes fitted;
    fitted.loss_per_doubling = fit_loss(trials);
    const double loss = fitted.loss_per_doubling.value_or(0.0);
    std::vector<std::optional<double>> epochs;
    for (const auto& trial : trials) {
        std::vector<double> seconds;
        for (const auto& interval : later(trial)) {
            seconds.push_back(alone(interval, loss));
        }
        epochs.push_back(seconds.empty() ? std::nullopt : std::optional(median(seconds)));
    }
    fitted.start = fit_start(trials, epochs, loss);
    std::vector<double> known;
    for (std::size_t i = 0; i < trials.size(); ++i) {
        if (!epochs[i] && !trials[i].intervals.empty()) {
            auto first = trials[i].intervals.front();
            first.seconds = std::max(0.0, first.seconds - fitted.start);
            epochs[i] = alone(first, loss);
        }
        if (epochs[i]) {
            known.push_back(*epochs[i]);
        }
    }
    for (const auto& epoch : epochs) {
        if (!known.empty()) {
            fitted.epoch.push_back(epoch.value_or(median(known)));
        }
    }
    return fitted;
}

}  // namespace crescendo::simulator
