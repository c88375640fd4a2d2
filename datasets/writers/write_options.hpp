#pragma once

#include <cstdint>
#include <functional>

namespace crescendo::datasets {

/// Size in bytes of a page, and of a block on most disks.
inline constexpr std::int64_t default_alignment = 4096;

/// How to write samples.
struct WriteOptions {
    /// Samples per chunk; 0: as many as make about 256 KiB, or `alignment`, of the largest data set.
    std::int64_t chunk_samples = 0;
    int compression = 0;  ///< deflate level, 1 to 9; 0: none
    /// Called with the amount written so far, and the total.
    std::function<void(std::int64_t done, std::int64_t total)> progress = [](std::int64_t, std::int64_t) {};
    /// Called often, by any working thread. An exception from it ends the writing, and leaves nothing behind.
    std::function<void()> poll = [] {};
    std::int64_t alignment = default_alignment;  ///< bytes; see NewGroup
};

}  // namespace crescendo::datasets
