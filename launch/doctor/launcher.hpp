#pragma once

#include <cstdlib>
#include <functional>
#include <string>

#include "launch/doctor/finding.hpp"

namespace crescendo::launch {

// `num_ranks` is the number of ranks that MPI knows of; 1 without MPI.

/// Reports a problem if a launcher started several tasks that MPI did not join: each of them would run the whole sweep.
/// `advice` is the remedy.
Findings examine_launcher(int num_ranks, const std::string& advice,
                          const std::function<const char*(const char*)>& variable = ::getenv);

/// Reports what Slurm's variables say about the job. `srun` is the command by which Slurm starts ranks.
Findings examine_slurm(int num_ranks, const std::string& srun,
                       const std::function<const char*(const char*)>& variable = ::getenv);

}  // namespace crescendo::launch
