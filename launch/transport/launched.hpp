#pragma once

#include "launch/batch/batch_system.hpp"
#include "launch/system/environment.hpp"

namespace crescendo::launch {

/// The number of processes that our launcher says it started together, this one included; 1 if it says nothing. If MPI
/// knows of fewer, launcher and MPI do not understand each other, and each process is alone.
int num_launched(const Variables& variables = ::getenv);

/// How the batch system of this cluster starts ranks that the MPI of this crescendo joins.
RankLauncher rank_launcher();

}  // namespace crescendo::launch
