#include "simulator/fit.hpp"

#include <algorithm>
#include <cmath>

#include "core/median.hpp"

namespace crescendo::simulator {
namespace {

/// A machine with more workers than cores can be slower with two than with one.
constexpr double most_loss = 0.95;
/// Shortest epoch, in seconds: a clock that is read twice may show the same time.
constexpr double least_epoch = 1e-12;

using Values = std::vector<double>;

std::optional<double> median_of(const Values& values) {
    return values.empty() ? std::nullopt : std::optional(median(values));
}

/// Calls `take` with each interval of the trial and the number of epochs in it.
void for_each_interval(const RecordedTrial& trial, const auto& take) {
    Resource begin{0};
    for (const auto& interval : trial.intervals) {
        take(interval, static_cast<double>(interval.end.value - begin.value));
        begin = interval.end;
    }
}

std::optional<double> fit_loss(const std::vector<RecordedTrial>& trials) {
    Values losses;
    for (const auto& trial : trials) {
        std::map<int, Values> by_size;
        for_each_interval(trial, [&](const Interval& interval, double epochs) {
            if (interval.start && interval.stretches.size() == 1) {
                const auto& stretch = interval.stretches.front();
                by_size[stretch.workers].push_back(
                    std::max((stretch.seconds - *interval.start) / epochs, least_epoch));
            }
        });
        for (auto size = by_size.begin(); size != by_size.end() && std::next(size) != by_size.end(); ++size) {
            const auto larger = std::next(size);
            const double doublings = std::log2(static_cast<double>(larger->first) / size->first);
            const double speedup = median(size->second) / median(larger->second);
            losses.push_back(1.0 - std::pow(speedup, 1.0 / doublings) / 2.0);
        }
    }
    return losses.empty() ? std::nullopt : std::optional(std::clamp(median(losses), 0.0, most_loss));
}

/// The interval's epochs, if training began `start` seconds after its beginning.
RecordedEpochs epochs_of(const Interval& interval, double epochs, double start, double loss) {
    RecordedEpochs result{interval.end, 0, {}, interval.steps, interval.trained};
    double before = start;
    for (const auto& stretch : interval.stretches) {
        result.alone += (stretch.seconds - before) * speedup(stretch.workers, loss) / epochs;
        result.workers.push_back(stretch.workers);
        before = 0;
    }
    result.alone = std::max(result.alone, least_epoch);
    return result;
}

/// The median start of the trials, in seconds: the known one, or how much longer an interval with a start takes.
double fit_start(const std::vector<RecordedTrial>& trials, double loss) {
    Values starts;
    for (const auto& trial : trials) {
        Values others;
        for_each_interval(trial, [&](const Interval& interval, double epochs) {
            if (interval.start) {
                others.push_back(epochs_of(interval, epochs, *interval.start, loss).alone);
            }
        });
        for_each_interval(trial, [&](const Interval& interval, double epochs) {
            const auto& first = interval.stretches.front();
            if (interval.start.value_or(0) > 0) {
                starts.push_back(*interval.start);
            } else if (!interval.start && !others.empty() && interval.stretches.size() == 1) {
                starts.push_back(first.seconds - median(others) * epochs / speedup(first.workers, loss));
            }
        });
    }
    return std::max(0.0, median_of(starts).value_or(0));
}

RecordedTimes times_of(const RecordedTrial& trial, double start, double loss) {
    RecordedTimes times;
    times.regroups = trial.regroups;
    times.first_steps = trial.first_steps;
    Values all;
    Values sure;
    std::map<int, Values> by_size;
    for_each_interval(trial, [&](const Interval& interval, double epochs) {
        const double begin = std::min(interval.start.value_or(start), interval.stretches.front().seconds);
        if (begin > 0 || times.epochs.empty()) {
            times.starts[interval.end] = begin;
        }
        const auto& measured = times.epochs.emplace_back(epochs_of(interval, epochs, begin, loss));
        all.push_back(measured.alone);
        if (interval.start) {
            sure.push_back(measured.alone);
        }
        if (interval.start && measured.workers.size() == 1) {
            by_size[measured.workers.front()].push_back(measured.alone);
        }
    });
    times.epoch = median_of(sure.empty() ? all : sure).value_or(0);
    for (const auto& [workers, values] : by_size) {
        times.epoch_with[workers] = median(values);
    }
    return times;
}

/// Fits the samples of an epoch, assuming that an epoch takes as long as its steps, and the batch of first steps.
void fit_samples(const std::vector<RecordedTrial>& trials, double loss, FittedTimes& fitted) {
    Values batches;
    Values samples;
    for (std::size_t i = 0; i < trials.size(); ++i) {
        for (const auto& epochs : fitted.trials[i].epochs) {
            const auto steps = epochs.steps.value_or(Steps{});
            if (steps.seconds && steps.batch && *steps.seconds > 0 && epochs.workers.size() == 1) {
                samples.push_back(epochs.alone / speedup(epochs.workers.front(), loss) / *steps.seconds * *steps.batch);
            }
        }
        if (const auto& intervals = trials[i].intervals; !intervals.empty() && intervals.front().steps) {
            if (const auto& batch = intervals.front().steps->batch) {
                batches.push_back(*batch);
            }
        }
    }
    fitted.batch = median_of(batches);
    if (!samples.empty()) {
        fitted.samples = std::max(1.0, median(samples));
    }
}

}  // namespace

FittedTimes fit(const std::vector<RecordedTrial>& trials) {
    FittedTimes fitted;
    fitted.loss_per_doubling = fit_loss(trials);
    const double loss = fitted.loss_per_doubling.value_or(0.0);
    fitted.start = fit_start(trials, loss);
    Values known;
    for (const auto& trial : trials) {
        if (const auto& times = fitted.trials.emplace_back(times_of(trial, fitted.start, loss));
            !times.epochs.empty()) {
            known.push_back(times.epoch);
        }
    }
    fit_samples(trials, loss, fitted);
    if (known.empty()) {
        fitted.trials.clear();
    }
    for (auto& times : fitted.trials) {
        times.epoch = times.epochs.empty() ? median(known) : times.epoch;
    }
    return fitted;
}

}  // namespace crescendo::simulator
