#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "trainer/data/task.hpp"
#include "trainer/models/objective.hpp"
#include "trainer/settings/settings.hpp"
#include "trainer/step/progress.hpp"

namespace crescendo::trainer {

/// Sums over samples from which the metrics of an evaluation (Settings::metrics) are calculated. Their order is the
/// same on all members of a group, so that adding them over the members gives the group's sums.
using MetricSums = std::vector<double>;

/// The sums of no samples.
MetricSums no_sums(const Settings& settings, const Task& task);

/// Whether the sums end with those of a Ranking.
bool wants_ranking(const Settings& settings);

/// The sums of a batch of samples, in the order of MetricSums but without those of a Ranking, as float64 on the device
/// of `outputs`; empty if there are none. `weights`, `outputs` and `targets` are as in loss_sum().
at::Tensor metric_sums(const Settings& settings, const Task& task, const LossWeights& weights,
                       const at::Tensor& outputs, const at::Tensor& targets);

/// Adds "<prefix>_<metric>" for each metric in the settings. Without samples, metrics are NaN.
void add_metrics(Metrics& metrics, const std::string& prefix, const MetricSums& sums, const Settings& settings,
                 const Task& task);

}  // namespace crescendo::trainer
