#pragma once

#include <string>
#include <vector>

#include "datasets/hdf5/field.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// Weights of the rows of targets that are images on a latitude-longitude grid: the cosine of a row's latitude divided
/// by the mean cosine of all rows (Rasp et al., "WeatherBench", 2020). So each point weighs as its share of the area.
/// Rows of padding have the weight 0, and the mean weight is 1. Empty unless the settings name latitudes.
///
/// `location` is where `targets` are stored, for messages. Throws InvalidInput with the setting as its key.
std::vector<double> latitude_weights(const std::string& location, const datasets::Fields& targets,
                                     const DataSettings& settings);

}  // namespace crescendo::trainer
