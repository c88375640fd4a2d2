#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "trainer/training/learning_rate.hpp"

namespace crescendo::trainer {

using Metrics = std::map<std::string, double>;

/// Metrics after `resource` epochs.
struct Report {
    std::int64_t resource = 0;
    Metrics metrics;
};

/// How far a trial has come. Together with the weights and the optimizer's state, it is all that a member needs to
/// continue.
struct Progress {
    std::int64_t epoch = 0;     ///< completed epochs
    std::int64_t position = 0;  ///< samples of the present epoch that the group has trained on
    std::int64_t step = 0;      ///< updates since the trial began
    int size = 0;               ///< size of the group that came this far; 0 before the first
    LearningRateSchedule::State rate;
    std::optional<Report> report;  ///< the last one
    bool report_pending = false;   ///< whether the decision about the report is still unknown
    /// Losses of the samples that this member has trained on in the present epoch.
    double loss_sum = 0.0;
    std::int64_t loss_samples = 0;
};

/// Writes a report. A number that is not finite becomes null, which is read as NaN.
void to_json(nlohmann::json& json, const Report& report);
void from_json(const nlohmann::json& json, Report& report);
void to_json(nlohmann::json& json, const Progress& progress);
void from_json(const nlohmann::json& json, Progress& progress);

}  // namespace crescendo::trainer
