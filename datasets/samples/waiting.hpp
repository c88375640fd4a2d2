#pragma once

#include <chrono>
#include <functional>

namespace crescendo::datasets {

/// Shows that a thread that waits for samples is alive, and not stuck in a read that never ends.
struct Waiting {
    /// Called while the thread waits, once per period in which something was read. May be null.
    std::function<void()> beat = {};
    std::chrono::milliseconds period{1000};
};

}  // namespace crescendo::datasets
