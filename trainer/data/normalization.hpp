#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "datasets/samples/conversion.hpp"
#include "datasets/samples/sample_set.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// The normalization of each field of the inputs, then of the targets; none for integer targets, the classes. If the
/// settings do not name an input, its bytes (u8) are divided by 255, and other numbers stay as they are. A channel
/// whose numbers are all equal has the spread 1.
///
/// Throws InvalidInput, whose key is the setting, if statistics of the training samples are needed and were not kept,
/// or if the number of means or spreads is not the number of channels.
std::vector<std::optional<datasets::Normalization>> normalizations(const datasets::SampleSet& samples,
                                                                   const DataSettings& settings);

/// How each field comes into a batch: integer targets as int64, everything else as float32 and normalised. Throws like
/// normalizations().
std::vector<datasets::Conversion> conversions(const datasets::SampleSet& samples, const DataSettings& settings);

/// The first input whose numbers are bytes in one of the sets alone, and that the settings do not scale; none if there
/// is no such input. By default its bytes would be divided by 255, and the same numbers in the other set would not.
/// Both sets have the inputs of the settings.
std::optional<std::size_t> scaled_in_one(const datasets::SampleSet& one, const datasets::SampleSet& other,
                                         const DataSettings& settings);

}  // namespace crescendo::trainer
