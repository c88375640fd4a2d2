#pragma once

#include <cstdlib>
#include <functional>
#include <string>

#include "launch/doctor/finding.hpp"

namespace crescendo::launch {

// `num_ranks`: that MPI knows of, 1 without it. `srun`: how Slurm starts such ranks.

/// Tasks that a launcher started and MPI did not join are each alone, and would each run the sweep.
Findings examine_launcher(int num_ranks, const std::string& srun,
                          const std::function<const char*(const char*)>& variable = ::getenv);

/// What Slurm's variables say of the job.
Findings examine_slurm(int num_ranks, const std::string& srun,
                       const std::function<const char*(const char*)>& variable = ::getenv);

}  // namespace crescendo::launch
