#pragma once

#include <cstdint>
#include <functional>

namespace crescendo::datasets {

/// A page, and a block of most disks.
inline constexpr std::int64_t default_alignment = 4096;

/// How to write samples.
struct WriteOptions {
    /// Samples of a chunk; 0: as many as make about 256 KiB, or `alignment`, of the largest data set.
    std::int64_t chunk_samples = 0;
    int compression = 0;  ///< level of deflate, 1 to 9; 0: none
    /// Called with the amount that is written so far, and with the total.
    std::function<void(std::int64_t done, std::int64_t total)> progress = [](std::int64_t, std::int64_t) {};
    /// Called often, by any working thread. An exception from it ends the writing, and nothing is left behind.
    std::function<void()> poll = [] {};
    std::int64_t alignment = default_alignment;  ///< bytes; see NewGroup
};

}  // namespace crescendo::datasets
