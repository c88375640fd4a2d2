#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/hdf5/field.hpp"
#include "datasets/hdf5/missing_sources.hpp"

namespace crescendo::datasets {

/// Neighbouring rows as one sample. The inputs of sample i are the rows [i·stride, i·stride + length). Its target is
/// the row that lies `horizon` rows behind the last of these.
struct TimeWindow {
    std::int64_t length = 0;  ///< 0: no windows, a sample is a row
    std::int64_t stride = 1;
    std::int64_t horizon = 0;

    friend auto operator<=>(const TimeWindow&, const TimeWindow&) = default;
};

/// Where the part of an image lies that a crop leaves.
enum class CropFrom { center, begin };
inline constexpr Words crop_words{{std::pair{CropFrom::center, "center"}, {CropFrom::begin, "begin"}}};

/// Images are cut to this size: only that part of them is read.
struct Crop {
    ImageSize size;
    CropFrom from = CropFrom::center;

    friend auto operator<=>(const Crop&, const Crop&) = default;
};

/// Images are filled up to this size on the way into a batch, on all sides alike.
struct Pad {
    ImageSize size;
    PadWith with = PadWith::zero;

    friend auto operator<=>(const Pad&, const Pad&) = default;
};

/// What a set takes of its files, and how.
struct SetOptions {
    std::vector<std::string> inputs{"inputs"};    ///< names of the data sets with inputs; at least one
    std::vector<std::string> targets{"targets"};  ///< may be none; if only "targets", it may be absent
    TimeWindow window = {};
    Routes routes = Routes::fastest;
    SampleLayout layout = SampleLayout::chw;  ///< layout of rows with three axes or more
    std::optional<Crop> crop = {};  ///< of all rows of two axes or more; their images are the axes but the channels
    std::optional<Pad> pad = {};    ///< of the same rows, once they were cut
    MissingSources missing_sources = MissingSources::error;
};

}  // namespace crescendo::datasets
