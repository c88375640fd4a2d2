#pragma once

#include "launch/doctor/finding.hpp"
#include "launch/process/program_paths.hpp"
#include "launch/slots/slot_plan.hpp"

namespace crescendo::launch {

/// Checks whether the programs that belong to crescendo exist and have its version.
Findings examine_programs(const ProgramPaths& paths);

/// Lets two trainers, on the first and the last slot of `plan`, form a group as the workers of a trial do: through our
/// own rendezvous, then by Gloo or NCCL over `interface`. Empty: the environment's interface, or loopback.
Finding examine_group(const ProgramPaths& paths, const SlotPlan& plan, const std::string& interface);

}  // namespace crescendo::launch
