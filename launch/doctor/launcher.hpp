#pragma once

#include <cstdlib>
#include <functional>

#include "launch/doctor/finding.hpp"

namespace crescendo::launch {

/// What Slurm's variables say of the job, against the `num_ranks` that MPI knows of (1 without MPI): tasks that
/// srun started and MPI did not join are each alone, and would each run the sweep.
Findings examine_slurm(int num_ranks, const std::function<const char*(const char*)>& variable = ::getenv);

}  // namespace crescendo::launch
