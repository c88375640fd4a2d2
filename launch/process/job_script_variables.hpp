#pragma once

namespace crescendo::launch {

/// Set by the job script: a file for the exit code of rank 0. If it is set, `resume` does not remove a request to stop.
/// Our child processes do not see it, because a crescendo among them would write its own code there.
inline constexpr const char* exit_status_variable = "CRESCENDO_EXIT_STATUS";

/// Set by the job script: number of seconds between `--until` and the end of the job.
inline constexpr const char* lead_variable = "CRESCENDO_LEAD";

}  // namespace crescendo::launch
