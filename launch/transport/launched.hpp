#pragma once

#include "launch/batch/batch_system.hpp"
#include "launch/system/environment.hpp"

namespace crescendo::launch {

/// The number of processes that the launcher says it started together, this one included; 1 if it says nothing. If MPI
/// sees fewer, launcher and MPI do not work together, and each process is alone.
int num_launched(const Variables& variables = ::getenv);

/// The command with which this cluster's batch system starts ranks that work with our MPI library.
RankLauncher rank_launcher();

/// Advice for the user if several ranks of a node have slots on the same GPUs or cores.
std::string advice_on_crowding();

}  // namespace crescendo::launch
