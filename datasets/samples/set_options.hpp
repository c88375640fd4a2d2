#pragma once

#include <compare>
#include <cstdint>
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

/// What a set takes of its files, and how.
struct SetOptions {
    std::vector<std::string> inputs{"inputs"};    ///< names of the data sets with inputs; at least one
    std::vector<std::string> targets{"targets"};  ///< may be none; if only "targets", it may be absent
    TimeWindow window = {};
    Routes routes = Routes::fastest;
    SampleLayout layout = SampleLayout::chw;  ///< layout of rows with three axes or more
    MissingSources missing_sources = MissingSources::error;
};

}  // namespace crescendo::datasets
