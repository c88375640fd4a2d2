#pragma once

#include <cstdint>
#include <vector>

#include "core/trial_protocol.hpp"
#include "datasets/samples/conversion.hpp"
#include "datasets/samples/sample_set.hpp"
#include "trainer/protocol/pulse.hpp"
#include "trainer/training/evaluation.hpp"
#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

/// Times and quality of a model's answers.
struct Answers {
    std::vector<double> seconds;  ///< time of each answer, in the order of the samples
    EvaluationSums sums;          ///< over the same answers
};

/// Runs the trial's model on all samples one at a time, in the order of the file and in evaluation mode, after
/// `num_warm_ups` answers that do not count.
///
/// The time of an answer starts with the stored sample in host memory, and ends with the answer in host memory: the
/// most likely class, or the predicted numbers. So it includes the conversion, the normalisation and the copies to and
/// from the device, but neither reading the file nor comparing with the target.
///
/// `conversions` are for the set's inputs, then for its targets. Beats `pulse` for each sample. Throws what the set
/// throws, and std::runtime_error if a number is not finite, unless `non_finite` allows that.
Answers answer_one_at_a_time(Trial& trial, const datasets::SampleSet& samples,
                             const std::vector<datasets::Conversion>& conversions, datasets::NonFinite non_finite,
                             std::int64_t num_warm_ups, Pulse& pulse);

/// Number, mean and percentiles of the times of answers: p50 and p99 are the shortest times within which 50 % and 99 %
/// of the answers came. Throws std::runtime_error if there are no answers.
protocol::Latency summary_of(std::vector<double> seconds);

}  // namespace crescendo::trainer
