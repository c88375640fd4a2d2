#include "launch/messages/connected_process.hpp"

namespace crescendo::launch {

void ConnectedProcess::watch(std::vector<pollfd>& descriptors) const {
    // A closed socket is always ready: watching it would turn the wait into a busy loop.
    if (!channel.closed()) {
        const short events = channel.wants_to_write() ? POLLIN | POLLOUT : POLLIN;
        descriptors.push_back({process.socket().get(), events, 0});
    }
    descriptors.push_back({process.exit_descriptor().get(), POLLIN, 0});
}

void ConnectedProcess::await_end(std::chrono::milliseconds patience) const {
    pollfd ended{process.exit_descriptor().get(), POLLIN, 0};
    ::poll(&ended, 1, static_cast<int>(patience.count()));
}

}  // namespace crescendo::launch
