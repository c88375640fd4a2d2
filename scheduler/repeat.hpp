#pragma once

#include <vector>

#include "core/ids.hpp"
#include "core/words.hpp"

namespace crescendo {

/// How the losses of a configuration's repetitions combine into the loss by which the configuration is judged.
enum class JudgedBy { mean, worst };
inline constexpr Words judges{{std::pair{JudgedBy::mean, "mean"}, {JudgedBy::worst, "worst"}}};

/// `repeat:` of the sweep file: how many trials train each configuration, each with its own seed. These trials are the
/// configuration's repetitions. Trial t is repetition t % times of configuration t / times.
struct Repeat {
    int times = 1;
    JudgedBy judge = JudgedBy::mean;

    bool is_on() const { return times > 1; }

    /// Configurations count from 0, as trials do. Without repetitions each trial is its own configuration.
    TrialId configuration_of(TrialId trial) const { return is_on() ? TrialId{trial.value / times} : trial; }
    TrialId first_of(TrialId configuration) const { return TrialId{configuration.value * times}; }
    int repetition_of(TrialId trial) const { return trial.value % times; }
};

/// The loss of a configuration whose repetitions have these losses, in their order. There is at least one.
double judged_loss(JudgedBy judge, const std::vector<double>& losses);

}  // namespace crescendo
