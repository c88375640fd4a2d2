#pragma once

#include <chrono>
#include <functional>

namespace crescendo::datasets {

/// For whoever must know that a thread which waits for samples is alive, and not held up by a read that never ends.
struct Waiting {
    /// Called while it waits, once in each period in which something was read. May be null.
    std::function<void()> beat = {};
    std::chrono::milliseconds period{1000};
};

}  // namespace crescendo::datasets
