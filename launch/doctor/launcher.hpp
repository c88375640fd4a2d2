#pragma once

#include <cstdlib>
#include <functional>
#include <string>

#include "launch/doctor/finding.hpp"

namespace crescendo::launch {

// `num_ranks`: that MPI knows of, 1 without it.

/// Tasks that a launcher started and MPI did not join, without a word about each other or in a language that it does
/// not speak, would each run the sweep: a problem, whose remedy is `advice`.
Findings examine_launcher(int num_ranks, const std::string& advice,
                          const std::function<const char*(const char*)>& variable = ::getenv);

/// What Slurm's variables say of the job. `srun`: how Slurm starts ranks.
Findings examine_slurm(int num_ranks, const std::string& srun,
                       const std::function<const char*(const char*)>& variable = ::getenv);

}  // namespace crescendo::launch
