#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/growth/recent.hpp"
#include "scheduler/growth/step_model.hpp"

namespace crescendo {

/// The factor by which a trial's samples per second change.
struct Speedup {
    double ratio = 1;
    double error = 0;         ///< how far `ratio` may be off: the errors of both times, added
    bool is_measured = true;  ///< whether both numbers of workers were measured
    bool is_next = false;     ///< whether it goes from the most workers that were measured to more
    bool is_single = false;   ///< whether the new number of workers was measured only once

    /// Whether the trial becomes faster, by more than the possible error.
    bool is_gain() const { return ratio > 1.0 + error; }
};

/// How long the steps of the trials of a sweep take, by workers and batch.
///
/// A trial's own times come first. Without them, times of trials of the same shape count, scaled by the trial's own
/// first time. Trials have the same shape if they began with as many workers and their first steps took as long as
/// those of the first such trial, within a factor of two: parameters that change the work of a step show there, and
/// others do not matter. For settings that were not measured, a StepModel that is fitted to the shape's times predicts.
/// Medians of recent times count, so a straggling step changes little.
class StepTimes {
  public:
    /// `seconds` is > 0.
    void note(TrialId trial, const Setting& at, double seconds);

    /// Whether the trial has any time.
    bool knows(TrialId trial) const { return find(trial) != nullptr; }

    /// Seconds of a step of the trial; nothing before its first time.
    std::optional<double> seconds(TrialId trial, const Setting& at) const;

    /// What the trial gains by a change. Nothing until its shape was measured with two different numbers of workers.
    std::optional<Speedup> speedup(TrialId trial, const Setting& from, const Setting& to) const;

    /// Numbers of workers below `workers` with which trials of the trial's shape were measured, widest first. Empty
    /// before the trial's first time.
    std::vector<int> narrower(TrialId trial, int workers) const;

    /// Samples per second of the trial with its largest group, divided by those with its first. Nothing if it never
    /// grew.
    std::optional<double> measured_speedup(TrialId trial) const;

  private:
    static constexpr std::size_t own_memory = 3;
    static constexpr std::size_t shared_memory = 9;

    struct OwnTimes {
        Setting at;
        Recent<own_memory> seconds;
    };
    /// Times in units of each trial's first time, and batches in units of its first batch.
    struct Shape {
        double seconds;  ///< first step time of the shape's first trial
        int workers;     ///< workers of that trial then
        std::map<Setting, Recent<shared_memory>> times{};
        mutable std::optional<StepModel> model{};  ///< none: `times` changed since the last fit

        int fewest_workers() const { return times.begin()->first.workers; }
        int most_workers() const { return times.rbegin()->first.workers; }
        /// Whether groups of this size have a single time, over all batches.
        bool is_single(int num_workers) const;
    };
    struct Own {
        std::size_t shape = 0;
        std::vector<OwnTimes> times;  ///< the first one is the unit of the trial's relative times
    };
    /// A time in the units of its shape, with its relative error.
    struct Relative {
        double time;
        double error;
    };

    std::size_t shape_of(double seconds, int workers);
    const Own* find(TrialId trial) const;
    static const OwnTimes* find(const Own& own, const Setting& at);
    static Setting relative(const Own& own, const Setting& at);
    static StepModel fit(const Shape& shape);
    static Relative shared_time(const Shape& shape, const Setting& at);

    std::vector<Own> own_;  // by trial; an entry without times if the trial was not measured
    std::vector<Shape> shapes_;
};

}  // namespace crescendo
