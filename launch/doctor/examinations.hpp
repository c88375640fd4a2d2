#pragma once

#include <filesystem>
#include <string>

#include "launch/batch/batch_system.hpp"
#include "launch/doctor/finding.hpp"
#include "launch/process/program_paths.hpp"
#include "launch/slots/slot_plan.hpp"

namespace crescendo::launch {

// What `crescendo doctor` examines besides disks and the other nodes.

/// Compares what this process may use (open files, locked memory, shared memory) with what `num_slots` workers need.
Findings examine_limits(int num_slots, bool has_gpus);

/// Checks whether workers that share a GPU compute at the same time. They do if the daemon of NVIDIA's MPS runs here;
/// workers find it by themselves. Also reports if `slots_per_gpu` has no effect. Empty if GPUs are not shared.
Findings examine_gpu_sharing(const SlotPlan& plan, const SlotPlan::Wishes& wishes,
                             const Variables& variables = ::getenv);

/// Checks whether the programs that belong to crescendo exist and have its version.
Findings examine_programs(const ProgramPaths& paths);

/// Lets two trainers, on the first and the last slot of `plan`, form a group as the workers of a trial do: through our
/// own rendezvous, then by Gloo or NCCL over `interface`. Empty: the environment's interface, or loopback.
Finding examine_group(const ProgramPaths& paths, const SlotPlan& plan, const std::string& interface);

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
