#include "trainer/protocol/pulse.hpp"

#include "core/trial_protocol.hpp"

namespace crescendo::trainer {

void Pulse::beat() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < period) {
        return;
    }
    last_ = now;
    channel_.send(protocol::SignOfLife{});
}

}  // namespace crescendo::trainer
