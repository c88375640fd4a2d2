#include "trainer/models/layers/image_inputs.hpp"

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
        return {{data_key, text("{}: a sample is {}, but the {} takes height x width or channels x height x width, "
                                "with the same height and width for several inputs; {}",
                                samples.location(), shapes_text(samples.inputs()), model, otherwise)}};
    }
    for (const auto& field : samples.inputs()) {
        if (!data.layout && field.looks_channels_last()) {
            return {{"trainer.data.layout",
                     text("missing: the samples of {}:{} are {}, which looks like height x width x channels; use "
                          "`layout: hwc` if it is, or `layout: chw` if the channels come first",
                          samples.location(), field.path, shape_text(field.shape))}};
        }
    }
    return {};
}

std::string remedy_for_size(const std::vector<std::int64_t>& image, std::int64_t multiple) {
    const auto height = image[image.size() - 2];
    const auto width = image.back();
    const auto down = [&](std::int64_t length) { return length / multiple * multiple; };
    const auto up = [&](std::int64_t length) { return (length + multiple - 1) / multiple * multiple; };
    const auto pad = text("pad them with `data.pad: [{}, {}]`", up(height), up(width));
    return down(height) == 0 || down(width) == 0
               ? pad
               : text("crop them with `data.crop: [{}, {}]`, or {}", down(height), down(width), pad);
}

}  // namespace crescendo::trainer
