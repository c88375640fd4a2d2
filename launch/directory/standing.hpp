#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/words.hpp"
#include "launch/batch/batch_system.hpp"
#include "launch/directory/recorded_sweep.hpp"

namespace crescendo::launch {

/// State of the sweep's last job. `gone` if it never had one, if this directory is a copy of the one that the job works
/// on, or if there is no batch system here. std::nullopt if the batch system does not answer.
std::optional<JobState> state_of_job(const SweepDirectory& directory, JobWatch* watch = nullptr);

/// As state_of_job(). Throws InvalidInput if the batch system does not answer; `why` says why its answer is needed.
JobState require_state_of_job(const SweepDirectory& directory, std::string_view why);

/// State of a sweep, for users.
enum class Standing {
    running,
    queued,   ///< its batch job has not started yet
    stopped,  ///< it ended early and can be resumed
    finished,
    failed,
    unknown,  ///< the batch system does not say whether the sweep's last job is over
};
inline constexpr Words standings{{std::pair{Standing::running, "running"},
                                  {Standing::queued, "queued"},
                                  {Standing::stopped, "stopped"},
                                  {Standing::finished, "finished"},
                                  {Standing::failed, "failed"},
                                  {Standing::unknown, "unknown"}}};

/// Whether the sweep may continue without anybody asking for it.
bool is_open(Standing standing);

/// The state of a sweep; `holder` is the process that works on it, if any. For a submitted sweep without a coordinator,
/// asks the batch system, through `watch` if there is one.
Standing standing_of(const SweepDirectory& directory, const Sweep& sweep, const std::optional<std::string>& holder,
                     JobWatch* watch = nullptr);
Standing standing_of(const RecordedSweep& recorded, JobWatch* watch = nullptr);

}  // namespace crescendo::launch
