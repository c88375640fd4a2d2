#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/sweep_spec.hpp"

namespace crescendo::simulator {

/// What trials report: a loss for every (trial, resource), whenever it is asked for.
class LearningCurves {
  public:
    virtual ~LearningCurves() = default;

    virtual double loss(TrialId trial, Resource resource) const = 0;
};

/// Power laws: at resource r a trial's error is end + (begin - end) * (1 + r / scale)^-rate, and noise.
///
/// Where a curve ends and how fast it gets there are drawn apart from each other, so curves cross: the best of an
/// early rung is often not the best in the end. An error lies about 0 to 1; a metric to maximize is 1 - error.
class ParametricCurves final : public LearningCurves {
  public:
    /// `max`: the resource of a complete trial, over which the curves spread. `noise`: standard deviation.
    ParametricCurves(std::uint64_t seed, Goal goal, Resource max, double noise);

    double loss(TrialId trial, Resource resource) const override;

    /// The error without the noise.
    double error(TrialId trial, Resource resource) const;

  private:
    std::uint64_t seed_;
    Goal goal_;
    Resource max_;
    double noise_;
};

/// Losses that trials of a real sweep reported. Between reports, and beyond the last, the one before holds; before the
/// first, the first. Trials beyond the recorded ones begin with trial 0 again.
class RecordedCurves final : public LearningCurves {
  public:
    using Curve = std::map<Resource, double>;

    /// By trial; one without a report gets the curve of the trial before it. Throws InvalidInput where none has any.
    explicit RecordedCurves(std::vector<Curve> curves);

    double loss(TrialId trial, Resource resource) const override;

  private:
    std::vector<Curve> curves_;
};

}  // namespace crescendo::simulator
