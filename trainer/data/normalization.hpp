#pragma once

#include <vector>

#include "datasets/samples/conversion.hpp"
#include "datasets/samples/sample_set.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// How each field of the inputs, then of the targets, comes into a batch: integers of the targets as int64, all else as
/// float32 and normalised. Inputs that the settings say nothing of are taken as they are, but bytes (u8) are divided by
/// 255. A channel whose numbers are all equal has the spread 1.
///
/// Throws InvalidInput, whose key is the setting, where statistics of the training samples are wanted and not kept,
/// or where there are not as many numbers as channels.
std::vector<datasets::Conversion> conversions(const datasets::SampleSet& samples, const DataSettings& settings);

}  // namespace crescendo::trainer
