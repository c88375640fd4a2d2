#pragma once

#include <cstdint>
#include <functional>

namespace crescendo::datasets {

/// How to write samples.
struct WriteOptions {
    std::int64_t chunk_samples = 0;  ///< samples of a chunk; 0: as many as make about 256 KiB of the larger data set
    int compression = 0;             ///< level of deflate, 1 to 9; 0: none
    /// Called with the amount that is written so far, and with the total.
    std::function<void(std::int64_t done, std::int64_t total)> progress = {};
    /// Called often, by any working thread. An exception from it ends the writing, and nothing is left behind.
    std::function<void()> poll = [] {};
};

}  // namespace crescendo::datasets
