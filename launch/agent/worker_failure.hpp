#pragma once

#include <chrono>
#include <string>

#include "launch/process/child_process.hpp"
#include "launch/process/oom_kills.hpp"
#include "scheduler/events.hpp"

namespace crescendo::launch {

/// The kind of failure that the end of a worker's process shows, unless Crescendo killed it.
FailureKind kind_of(const ExitStatus& status, OomKills& oom_kills);

/// Why a worker was killed, for messages.
std::string no_progress_for(std::chrono::milliseconds silence);

}  // namespace crescendo::launch
