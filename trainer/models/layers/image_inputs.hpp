#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// Returns what keeps an image model from learning from these samples: inputs that are not images, or whose channels
/// could be first or last. `data_key` is the setting that names the samples, `model` is the model's name, and
/// `otherwise` is the remedy if the samples are not images.
std::vector<Problem> misfits_of_images(const datasets::SampleSet& samples, const DataSettings& data,
                                       const std::string& data_key, const std::string& model,
                                       const std::string& otherwise);

/// The settings that make height and width of `image` multiples of `multiple`, as text for messages: "crop them with
/// `data.crop: [720, 1440]`, or pad them with `data.pad: [736, 1440]`".
std::string remedy_for_size(const std::vector<std::int64_t>& image, std::int64_t multiple);

}  // namespace crescendo::trainer
