#pragma once

#include "launch/batch/batch_system.hpp"
#include "launch/system/environment.hpp"

namespace crescendo::launch {

/// The number of processes that our launcher says it started together, this one included; 1 if it says nothing. If MPI
/// knows of fewer, launcher and MPI do not understand each other, and each process is alone.
int num_launched(const Variables& variables = ::getenv);

/// How the batch system of this cluster starts ranks that the MPI of this crescendo joins.
RankLauncher rank_launcher();

/// What to do where several ranks of a node have slots on the same GPUs or cores.
std::string advice_on_crowding();

}  // namespace crescendo::launch
