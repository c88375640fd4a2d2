#pragma once

#include "launch/doctor/finding.hpp"
#include "launch/slots/slot_plan.hpp"
#include "launch/sweep_file/sweep_check.hpp"

namespace crescendo::launch {

/// Whether the programs that belong to crescendo are there, and of its version.
Findings examine_programs(const ProgramPaths& paths);

/// Lets two trainers, on the first and the last slot of `plan`, form a group as the workers of a trial do: through our
/// own rendezvous, then by Gloo or NCCL over `interface` (empty: the environment's, or within the machine).
Finding examine_group(const ProgramPaths& paths, const SlotPlan& plan, const std::string& interface);

}  // namespace crescendo::launch
