#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// Shape of a sample as a series: `length` steps of `numbers` numbers each. The first axis is time. If it is the only
/// axis, a step is one number.
struct SeriesShape {
    std::int64_t length;
    std::int64_t numbers;
};

SeriesShape series_shape(const std::vector<std::int64_t>& sample);

/// (samples, sample...) → (samples, length, numbers).
at::Tensor as_series(const at::Tensor& inputs);

/// Returns what keeps a model of series from learning from these samples. `data_key` is the setting that names the
/// samples, and `model` is the model's name.
std::vector<Problem> misfits_of_series(const datasets::SampleSet& samples, const std::string& data_key,
                                       const std::string& model);

}  // namespace crescendo::trainer
