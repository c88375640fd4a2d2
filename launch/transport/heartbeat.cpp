#include "launch/transport/heartbeat.hpp"

#include "launch/system/environment.hpp"

namespace crescendo::launch {

std::chrono::seconds SilenceTimer::timeout_of_environment() {
    return seconds_of_environment("CRESCENDO_HEARTBEAT_TIMEOUT", std::chrono::seconds(30));
}

}  // namespace crescendo::launch
