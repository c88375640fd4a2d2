#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "trainer/data/task.hpp"
#include "trainer/models/objective.hpp"
#include "trainer/settings/settings.hpp"
#include "trainer/step/progress.hpp"

namespace crescendo::trainer {

/// What the metrics of an evaluation (Settings::metrics) are calculated from: sums over samples, in an order that all
/// members of a group share. Added over the members they are those of the group.
using MetricSums = std::vector<double>;

/// The sums of no samples.
MetricSums no_sums(const Settings& settings, const Task& task);

/// Whether the last of the sums are those of a Ranking.
bool wants_ranking(const Settings& settings);

/// The sums of a batch of samples, in that order but without those of a Ranking, as float64 on the device of `outputs`;
/// empty where there are none. `weights`, `outputs` and `targets` are those of loss_sum().
at::Tensor metric_sums(const Settings& settings, const Task& task, const LossWeights& weights,
                       const at::Tensor& outputs, const at::Tensor& targets);

/// Adds "<prefix>_<metric>" for each metric of the settings. No samples give NaN.
void add_metrics(Metrics& metrics, const std::string& prefix, const MetricSums& sums, const Settings& settings,
                 const Task& task);

}  // namespace crescendo::trainer
