#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/batch/batch_system.hpp"
#include "launch/directory/frozen_file.hpp"
#include "launch/directory/sweep_directory.hpp"
#include "launch/journal/history.hpp"

namespace crescendo::launch {

/// A sweep as its directory has it. A process that works on it is not asked.
///
/// The journal is the truth. The sweep's file must say what it said when the sweep began, except for the keys that may
/// change. For these the journal counts, and not what the file says now.
struct RecordedSweep {
    /// Reads a sweep to look at it, as History::look() says. Throws InvalidInput that names file, line and key if the
    /// sweep's file was changed. `watch` is as in SweepLock::holder().
    explicit RecordedSweep(const std::filesystem::path& path, Reports kept = Reports::last, JobWatch* watch = nullptr);

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
    RecordedSweep(SweepDirectory directory, History::Purpose purpose, Reports kept, JobWatch* watch);
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

}  // namespace crescendo::launch
