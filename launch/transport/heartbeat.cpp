#include "launch/transport/heartbeat.hpp"

#include <cstdlib>

namespace crescendo::launch {

std::chrono::seconds Pulse::timeout_of_environment() {
    const char* seconds = std::getenv("CRESCENDO_HEARTBEAT_TIMEOUT");
    return std::chrono::seconds(seconds != nullptr ? std::max(1, std::atoi(seconds)) : 30);
}

}  // namespace crescendo::launch
