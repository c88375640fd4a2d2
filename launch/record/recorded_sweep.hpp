#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/batch/batch_system.hpp"
#include "launch/record/frozen_file.hpp"
#include "launch/record/history.hpp"
#include "launch/record/sweep_directory.hpp"

namespace crescendo::launch {

/// A sweep as its directory has it. A process that works on it is not asked.
///
/// The journal is the truth. The sweep's file must say what it said when the sweep began, except for the keys that may
/// change. For these the journal counts, and not what the file says now.
struct RecordedSweep {
    /// Reads a sweep to look at it, as History::look() says. Throws InvalidInput that names file, line and key if the
    /// sweep's file was changed.
    explicit RecordedSweep(const std::filesystem::path& path, Reports kept = Reports::last);

    /// Reads a sweep to continue it. The caller holds the sweep's lock.
    static RecordedSweep recover(const SweepDirectory& directory);

    /// Keys that may change, with the values that hold now. Keys without a value are left out.
    std::map<std::string, Json> limits() const;

    SweepDirectory directory;
    std::optional<std::string> holder;  ///< who worked on it just before the journal was read, which so is no older
    std::optional<FrozenFile> frozen;  ///< none in an old journal; then the present file is used
    SweepFile file;                    ///< the sweep's file with the limits that hold now
    History history;
    Journal::End end;

  private:
    RecordedSweep(SweepDirectory directory, History::Purpose purpose, Reports kept);
};

/// The trial with the number that `--trial` gives, or the best one. Throws InvalidInput if there is none; `otherwise`
/// says what follows from that, such as "there is nothing to export".
TrialId chosen_trial(const RecordedSweep& sweep, std::optional<int> number, std::string_view otherwise);

/// The trial of this number. Throws InvalidInput if no trial has it.
const Trial& known_trial(const Sweep& sweep, TrialId id);

/// The sweep's file with the limits that the sweep began with. Throws InvalidInput as RecordedSweep does.
SweepFile read_first_file(const SweepDirectory& directory, const std::optional<FrozenFile>& frozen);

/// What replaces values of the sweep's present file after these changes: all keys that may change, and defaults that
/// were others when the sweep began.
std::vector<Override> limits_after(const std::optional<FrozenFile>& frozen, const std::vector<LimitsChange>& changes);

/// State of the sweep's last job; `gone` if it never had one, if this is a copy of the sweep that the job works on, or
/// if there is no batch system here. std::nullopt if the batch system does not answer.
std::optional<JobState> state_of_job(const SweepDirectory& directory);

/// The same. Throws InvalidInput if the batch system does not answer; `why` says why its answer is needed.
JobState require_state_of_job(const SweepDirectory& directory, std::string_view why);

/// State of the last job of a sweep that nobody holds, for which the batch system is asked twice a minute at most: for
/// a view, which looks every second.
class JobWatch {
  public:
    /// As state_of_job(), of the one sweep that is watched.
    std::optional<JobState> state(const SweepDirectory& directory);

  private:
    std::string job_;
    std::optional<JobState> state_;
    std::chrono::steady_clock::time_point until_;  ///< until then nobody is asked again about this job
};

/// "queued", "running", "stopped", "finished", "failed", or "unknown" if the batch system does not answer. Asks it
/// about a sweep that was submitted and has no coordinator now, through `watch` if there is one. `holder`: who works on
/// the sweep.
std::string state_of(const SweepDirectory& directory, const Sweep& sweep, const std::optional<std::string>& holder,
                     JobWatch* watch = nullptr);
inline std::string state_of(const RecordedSweep& recorded, JobWatch* watch = nullptr) {
    return state_of(recorded.directory, recorded.history.sweep(), recorded.holder, watch);
}

}  // namespace crescendo::launch
