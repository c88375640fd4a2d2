#pragma once

#include <string>
#include <vector>

#include "datasets/hdf5/field.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// Factors of the rows of targets, which are images of a latitude-longitude grid: the cosine of a row's latitude over
/// the mean of all rows (Rasp et al., "WeatherBench", 2020), so that each point counts as its share of the area. Rows
/// of padding have 0, and the mean factor is 1. Empty unless the settings name latitudes.
///
/// `location` is that of `targets`, for messages. Throws InvalidInput, whose key is the setting.
std::vector<double> latitude_weights(const std::string& location, const datasets::Fields& targets,
                                     const DataSettings& settings);

}  // namespace crescendo::trainer
