#pragma once

#include <string>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// What keeps a model of images from learning from these samples: inputs that are no images, or whose channels may be
/// first or last. `data_key` is the setting that names the samples, `model` the model's name, and `otherwise` what to
/// do about samples that are no images.
std::vector<Problem> misfits_of_images(const datasets::SampleSet& samples, const DataSettings& data,
                                       const std::string& data_key, const std::string& model,
                                       const std::string& otherwise);

}  // namespace crescendo::trainer
