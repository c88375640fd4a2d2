#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "datasets/samples/conversion.hpp"
#include "datasets/samples/sample_set.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// The normalization of each field of the inputs, then of the targets. Integer targets, which are classes, have none.
/// If the settings do not name an input, bytes (u8) are divided by 255, and other numbers stay as they are. A channel
/// whose numbers are all equal has the spread 1.
///
/// Throws InvalidInput with the setting as its key if statistics of the training samples are needed but the file has
/// none, or if the number of means or spreads is not the number of channels.
std::vector<std::optional<datasets::Normalization>> normalizations(const datasets::SampleSet& samples,
                                                                   const DataSettings& settings);

/// How each field is converted for a batch: integer targets to int64, everything else to normalised float32. Throws
/// like normalizations().
std::vector<datasets::Conversion> conversions(const datasets::SampleSet& samples, const DataSettings& settings);

/// The first input that is stored as bytes in only one of the two sets, and that the settings do not normalise; none if
/// there is no such input. By default its bytes would be divided by 255, but the same numbers in the other set would
/// not. Both sets must have the inputs that the settings name.
std::optional<std::size_t> scaled_in_one(const datasets::SampleSet& one, const datasets::SampleSet& other,
                                         const DataSettings& settings);

}  // namespace crescendo::trainer
