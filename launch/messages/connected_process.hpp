#pragma once

#include <poll.h>

#include <chrono>
#include <vector>

#include "launch/messages/line_channel.hpp"
#include "launch/process/child_process.hpp"

namespace crescendo::launch {

/// A process and the channel to it.
struct ConnectedProcess {
    explicit ConnectedProcess(const ProcessOptions& options) : process(options), channel(process.socket().get()) {}

    /// Waits until the process has ended, or `patience` is over.
    void await_end(std::chrono::milliseconds patience) const;

    void watch(std::vector<pollfd>& descriptors) const;

    ChildProcess process;
    LineChannel channel;
};

}  // namespace crescendo::launch
