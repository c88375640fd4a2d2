#pragma once

#include <cstdint>
#include <functional>

namespace crescendo::datasets {

/// How samples are to be written.
struct WriteOptions {
    std::int64_t chunk_samples = 0;  ///< of a chunk; 0: as many as make about 256 KiB of the larger data set
    int compression = 0;             ///< level of deflate, 1 to 9; 0: none
    /// Called with what is written so far and all there is to write.
    std::function<void(std::int64_t done, std::int64_t total)> progress = {};
    /// Called often, by any thread that is at work. What it throws ends the writing, and nothing is left of it.
    std::function<void()> poll = [] {};
};

}  // namespace crescendo::datasets
