#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/trial_protocol.hpp"
#include "trainer/training/learning_rate.hpp"

namespace crescendo::trainer {

using protocol::Metrics;
using protocol::Report;

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

void to_json(nlohmann::json& json, const Progress& progress);
void from_json(const nlohmann::json& json, Progress& progress);

}  // namespace crescendo::trainer
