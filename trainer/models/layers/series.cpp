#include "trainer/models/layers/series.hpp"

#include <ATen/ATen.h>

#include "core/check.hpp"
#include "trainer/data/shapes.hpp"

namespace crescendo::trainer {

SeriesShape series_shape(const std::vector<std::int64_t>& sample) {
    CRESCENDO_EXPECT(!sample.empty());
    SeriesShape shape{.length = sample.front(), .numbers = 1};
    for (std::size_t i = 1; i < sample.size(); ++i) {
        shape.numbers *= sample[i];
    }
    return shape;
}

at::Tensor as_series(const at::Tensor& inputs) { return inputs.reshape({inputs.size(0), inputs.size(1), -1}); }

std::vector<Problem> misfits_of_series(const datasets::SampleSet& samples, const std::string& data_key,
                                       const std::string& model) {
    if (!joined_shape(samples.inputs()).empty()) {
        return {};
    }
    return {{data_key, text("{}: a sample is one number, but the {} takes a series; make windows of rows with "
                            "data.window, or use `model: mlp`",
                            samples.location(), model)}};
}

}  // namespace crescendo::trainer
