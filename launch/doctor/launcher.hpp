#pragma once

#include <string>

#include "launch/batch/batch_system.hpp"
#include "launch/doctor/finding.hpp"

namespace crescendo::launch {

// `num_ranks` is the number of ranks that MPI knows of; 1 without MPI.

/// Reports a problem if a launcher started several tasks that MPI did not join: each of them would run the whole sweep.
/// `advice` is the remedy.
Findings examine_launcher(int num_ranks, const std::string& advice, const Variables& variables = ::getenv);

/// Reports the batch job that this process is in, and warns if crescendo does not run on all its nodes. `launcher` is
/// the remedy.
Findings examine_job(int num_ranks, const BatchSystem& system, const RankLauncher& launcher);

}  // namespace crescendo::launch
