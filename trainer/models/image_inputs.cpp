#include "trainer/models/image_inputs.hpp"

#include "core/check.hpp"
#include "trainer/data/shapes.hpp"

namespace crescendo::trainer {

namespace {

std::string shapes_text(const datasets::Fields& fields) {
    std::string words;
    for (const auto& field : fields) {
        words += text("{}{}", words.empty() ? "" : " and ", shape_text(field.shape));
    }
    return words;
}

}  // namespace

std::vector<Problem> misfits_of_images(const datasets::SampleSet& samples, const DataSettings& data,
                                       const std::string& data_key, const std::string& model,
                                       const std::string& otherwise) {
    if (!is_image(joined_shape(samples.inputs()))) {
        return {{data_key, text("{}: a sample is {}, but the {} takes height x width or channels x height x width, and "
                                "several inputs of equal height and width; {}",
                                samples.location(), shapes_text(samples.inputs()), model, otherwise)}};
    }
    for (const auto& field : samples.inputs()) {
        if (!data.layout && field.looks_channels_last()) {
            return {{"trainer.data.layout",
                     text("missing: the samples of {}:{} are {}, which looks like height x width x channels; say "
                          "`layout: hwc` where it is so, `layout: chw` where the channels are first",
                          samples.location(), field.path, shape_text(field.shape))}};
        }
    }
    return {};
}

}  // namespace crescendo::trainer
