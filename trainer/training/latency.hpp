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

/// How long a model took to answer, and how well it did.
struct Answers {
    std::vector<double> seconds;  ///< of each answer, in the order of the samples
    EvaluationSums sums;          ///< over the same answers
};

/// Has the trial's model answer all samples one at a time, in the order of the file and in evaluation mode, after
/// `num_warm_ups` answers that do not count.
///
/// The time of an answer begins with the sample as it is stored, in the host's memory, and ends with the answer in the
/// host's memory: the likeliest class, or the predicted numbers. So it has the conversion, the normalisation and the
/// copies to and from the device. It has neither the reading of the file nor the comparison with the target.
///
/// `conversions` are those of the set's inputs and then of its targets. Beats `pulse` for each sample. Throws what the
/// set throws, and std::runtime_error about a number that is not finite, unless `non_finite` says otherwise.
Answers answer_one_at_a_time(Trial& trial, const datasets::SampleSet& samples,
                             const std::vector<datasets::Conversion>& conversions, datasets::NonFinite non_finite,
                             std::int64_t num_warm_ups, Pulse& pulse);

/// Number, mean, and percentiles of the times of answers: p50 and p99 are the least times within which 50 and 99 of 100
/// answers came. Throws std::runtime_error if there are none.
protocol::Latency summary_of(std::vector<double> seconds);

}  // namespace crescendo::trainer
