#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "trainer/settings/settings.hpp"
#include "trainer/step/learning_rate.hpp"
#include "trainer/step/loss_scale.hpp"
#include "trainer/step/noise_scale.hpp"

namespace crescendo::trainer {

using Metrics = std::map<std::string, double>;

/// A trial's metrics after it has used `resource` units of ReportInterval.
struct Report {
    std::int64_t resource = 0;
    Metrics metrics;
    double seconds = 0.0;    ///< Progress::seconds at the report
    double evaluated = 0.0;  ///< Progress::evaluated at the report
};

/// How far a trial has come. With the weights and the optimizer's state, it is all that a member needs to continue the
/// trial.
struct Progress {
    std::int64_t epoch = 0;     ///< completed epochs
    std::int64_t position = 0;  ///< samples that the group has trained on in the present epoch
    std::int64_t step = 0;      ///< steps since the trial began; each is an update unless its gradients overflow
    int size = 0;               ///< size of the group that trained last; 0 before the first group
    LearningRateSchedule::State rate = {};
    /// The training clock: seconds spent in steps, including the wait for their data, and in regroups. Evaluations,
    /// checkpoints and the wait for decisions do not count (the rule of DAWNBench and AlgoPerf). A trial that returns
    /// to a checkpoint also returns to its clock. Rank 0's clock is the group's clock.
    double seconds = 0.0;
    double evaluated = 0.0;             ///< seconds in evaluations
    std::optional<Report> report = {};  ///< the last report
    bool report_pending = false;        ///< whether the decision about the report has not arrived
    /// Sum and number of the losses of samples that this member has trained on since the last report. The sum is only
    /// up to date in Trial::full_progress().
    double loss_sum = 0.0;
    std::int64_t loss_samples = 0;
    /// This member's estimate of the gradients' noise; at a report, it is equal on all members.
    NoiseScale noise_scale = {};
    LossScale loss_scale = {};  ///< for the next step, in Precision::fp16

    /// Resource of the last report; 0 before the first report.
    std::int64_t reported() const { return report ? report->resource : 0; }
};

/// Resource that a trial has used so far, with the share of the present epoch as a fraction.
double used(const Progress& progress, ResourceUnit unit, std::int64_t samples_per_epoch);

/// The resource that a trial can report: the last multiple of `interval.every` that it has reached. A report is due if
/// this is more than Progress::reported(). The last report is at `most`, even if that is not a multiple.
std::int64_t reached(const Progress& progress, const ReportInterval& interval, std::int64_t samples_per_epoch,
                     std::int64_t most);

/// Samples in one unit of the resource, if a step has `group_batch` samples; nullopt for seconds, which are not a
/// number of samples.
std::optional<double> samples_in(ResourceUnit unit, std::int64_t samples_per_epoch, std::int64_t group_batch);

/// Writes a report. A number that is not finite becomes null, which is read as NaN.
void to_json(nlohmann::json& json, const Report& report);
void from_json(const nlohmann::json& json, Report& report);
void to_json(nlohmann::json& json, const Progress& progress);
void from_json(const nlohmann::json& json, Progress& progress);

}  // namespace crescendo::trainer
