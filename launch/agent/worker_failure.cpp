#include "launch/agent/worker_failure.hpp"

#include <fmt/format.h>

#include <csignal>

namespace crescendo::launch {

FailureKind kind_of(const ExitStatus& status, OomKills& oom_kills) {
    const bool killed = status.code == 128 + SIGKILL;
    return killed && oom_kills.take() ? FailureKind::out_of_memory : FailureKind::crash;
}

std::string no_progress_for(std::chrono::milliseconds silence) {
    return fmt::format("no progress for {} s", std::chrono::duration_cast<std::chrono::seconds>(silence).count());
}

}  // namespace crescendo::launch
