#pragma once

#include <filesystem>
#include <string>

#include "launch/batch/batch_system.hpp"
#include "launch/doctor/finding.hpp"

namespace crescendo::launch {

// `num_ranks` means the same as in mpi_session.hpp.

/// Reports a problem if a launcher started several tasks that MPI did not join: each of them would run the whole sweep.
Findings examine_launcher(int num_ranks, const Variables& variables = ::getenv);

/// Warns if `library` (MpiSession::library) is an Open MPI that ends all ranks when one dies: version 5 and newer, over
/// its own TCP. Over UCX, which it chooses by itself if `fabrics` has InfiniBand, the other ranks survive.
Findings examine_library(int num_ranks, const std::string& library, const Variables& variables = ::getenv,
                         const std::filesystem::path& fabrics = "/sys/class/infiniband");

/// Reports the batch job that this process is in, and warns if crescendo does not run on all its nodes.
Findings examine_job(int num_ranks, const BatchSystem& system);

}  // namespace crescendo::launch
