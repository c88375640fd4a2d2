#pragma once

namespace crescendo::launch {

/// Set by the job script: a file for the exit code of rank 0. There, `resume` leaves a request to stop as it is. What we
/// start does not see it: a crescendo among it would write its own code there.
inline constexpr const char* exit_status_variable = "CRESCENDO_EXIT_STATUS";

/// Set by the job script: how many seconds before the end of the job `--until` is.
inline constexpr const char* lead_variable = "CRESCENDO_LEAD";

}  // namespace crescendo::launch
