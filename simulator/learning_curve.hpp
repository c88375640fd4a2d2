#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/sweep_spec.hpp"

namespace crescendo::simulator {

/// What trials report: a loss for every (trial, resource), which is the same at every call.
class LearningCurves {
  public:
    virtual ~LearningCurves() = default;

    double loss(TrialId trial, Resource resource) const {
        return loss(trial, resource, static_cast<double>(resource.value));
    }

    /// What the trial reports at `resource` if its training was worth as much as `worth` of the resource in its first
    /// batch.
    virtual double loss(TrialId trial, Resource resource, double worth) const = 0;

    /// Whether the trial reports when it has consumed `resource`.
    virtual bool has_report(TrialId, Resource) const { return true; }
};

/// Power laws: after training worth the resource r, a trial's error is
/// end + (begin - end) * (1 + r / scale)^-rate + noise.
///
/// The end of a curve and its speed are drawn independently, so curves cross: the best trial of an early rung is often
/// not the best in the end. Errors are between about 0 and 1. A metric to maximize is 1 - error.
class ParametricCurves final : public LearningCurves {
  public:
    /// `max`: resource of a complete trial, which sets the scale of the curves. `noise`: standard deviation. The
    /// repetitions of a configuration share one curve, but each has its own noise.
    ParametricCurves(std::uint64_t seed, Goal goal, Resource max, double noise, const Repeat& repeat = {});

    using LearningCurves::loss;
    double loss(TrialId trial, Resource resource, double worth) const override;

    /// A trial's error without the noise.
    double error(TrialId trial, double worth) const;

  private:
    std::uint64_t seed_;
    Goal goal_;
    Resource max_;
    double noise_;
    Repeat repeat_;
};

/// When a trial with a recorded curve reports.
enum class Reporting {
    always,       ///< after each unit of the resource
    as_recorded,  ///< at the recorded resources; after the last report, at the same distances as before
};

/// Losses that trials of a real sweep reported. Between reports, and after the last one, the previous loss holds;
/// before the first report, the first loss holds. Trials beyond the recorded ones begin with trial 0 again.
class RecordedCurves final : public LearningCurves {
  public:
    using Curve = std::map<Resource, double>;

    /// `curves` has one curve for each trial. A trial without reports gets the curve of the trial before it. Throws
    /// InvalidInput if no trial has a report.
    explicit RecordedCurves(std::vector<Curve> curves, Reporting reporting = Reporting::always);

    using LearningCurves::loss;
    double loss(TrialId trial, Resource resource, double worth) const override;
    bool has_report(TrialId trial, Resource resource) const override;

  private:
    const Curve& curve(TrialId trial) const { return curves_[static_cast<std::size_t>(trial.value) % curves_.size()]; }

    std::vector<Curve> curves_;
    Reporting reporting_;
};

}  // namespace crescendo::simulator
