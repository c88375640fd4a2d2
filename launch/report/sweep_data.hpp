#pragma once

#include <cstddef>
#include <filesystem>

#include "launch/batch/batch_system.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

/// How much of a large sweep a page holds. What is left out is counted in the data, and the page says so.
struct PageLimits {
    std::size_t most_points = 150'000;  ///< of all learning curves together
    std::size_t most_spans = 50'000;    ///< of trials on slots; the longest are kept
    std::size_t most_samples = 1'000;   ///< trials that importances are computed from
};

/// All that a page shows of one sweep, as one JSON object, whose reader is launch/report/page/. Reads the journal as
/// far as it can; `problem` says where it is damaged. Throws InvalidInput if the directory holds no sweep, or if its
/// file was changed. `watch` is as in SweepLock::holder().
OrderedJson sweep_data(const std::filesystem::path& directory, const PageLimits& limits = {},
                       JobWatch* watch = nullptr);

}  // namespace crescendo::launch
