#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/hdf5/field.hpp"
#include "datasets/hdf5/missing_sources.hpp"

namespace crescendo::datasets {

/// Makes neighbouring rows one sample. The inputs of sample i are rows [i·stride, i·stride + length). Its target is the
/// row `horizon` rows after the last of these.
struct TimeWindow {
    std::int64_t length = 0;  ///< 0: no windows, a sample is a row
    std::int64_t stride = 1;
    std::int64_t horizon = 0;

    friend auto operator<=>(const TimeWindow&, const TimeWindow&) = default;
};

/// Which part of an image a crop keeps.
enum class CropFrom { center, begin };
inline constexpr Words crop_words{{std::pair{CropFrom::center, "center"}, {CropFrom::begin, "begin"}}};

/// Crops images to this size. Only that part is read.
struct Crop {
    ImageSize size;
    CropFrom from = CropFrom::center;

    friend auto operator<=>(const Crop&, const Crop&) = default;
};

/// Pads images to this size when they go into a batch, equally on all sides.
struct Pad {
    ImageSize size;
    PadWith with = PadWith::zero;

    friend auto operator<=>(const Pad&, const Pad&) = default;
};

/// What a set reads from its files, and how.
struct SetOptions {
    std::vector<std::string> inputs{"inputs"};    ///< names of the input data sets; at least one
    std::vector<std::string> targets{"targets"};  ///< may be empty; the default "targets" may be absent
    TimeWindow window = {};
    Routes routes = Routes::fastest;
    SampleLayout layout = SampleLayout::chw;  ///< layout of rows with three or more axes
    std::optional<Crop> crop = {};  ///< for all rows with two or more axes; images are the axes without the channels
    std::optional<Pad> pad = {};    ///< for the same rows, after the crop
    MissingSources missing_sources = MissingSources::error;

    /// Options that read these data sets as inputs, without targets. Without names: the default data sets.
    static SetOptions of(const std::vector<std::string>& data_sets, MissingSources missing) {
        SetOptions options{.missing_sources = missing};
        if (!data_sets.empty()) {
            options.inputs = data_sets;
            options.targets = {};
        }
        return options;
    }
};

}  // namespace crescendo::datasets
