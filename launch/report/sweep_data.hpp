#pragma once

#include <cstddef>
#include <filesystem>

#include "launch/batch/batch_system.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

/// How much of a large sweep a page holds. The data count what is left out, and the page says so.
struct PageLimits {
    std::size_t most_points = 150'000;  ///< points of all learning curves together
    std::size_t most_spans = 50'000;    ///< periods of trials on slots; the longest are kept
    std::size_t most_samples = 1'000;   ///< trials that importances are computed from
};

/// Everything that a page shows about one sweep, as one JSON object; launch/report/page/ reads it. Reads the journal as
/// far as possible; `problem` says where it is damaged. Throws InvalidInput if the directory holds no sweep, or if its
/// file was changed. `watch` is as in SweepLock::holder().
OrderedJson sweep_data(const std::filesystem::path& directory, const PageLimits& limits = {},
                       JobWatch* watch = nullptr);

}  // namespace crescendo::launch
