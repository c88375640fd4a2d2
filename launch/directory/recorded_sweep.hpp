#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/batch/batch_system.hpp"
#include "launch/directory/frozen_file.hpp"
#include "launch/directory/sweep_directory.hpp"
#include "launch/journal/history.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

/// A sweep as read from its directory. A process that works on it is not asked.
///
/// The journal is the truth. The sweep's file must be as it was when the sweep began, except for keys that may change.
/// For these, the journal's values count, not the file's present ones.
struct RecordedSweep {
    /// Reads a sweep to look at it, as History::look() does. `watch` is as in SweepLock::holder(). Throws InvalidInput
    /// that names file, line and key if the sweep's file was changed.
    explicit RecordedSweep(const std::filesystem::path& path, Reports kept = Reports::last, JobWatch* watch = nullptr);

    /// Reads a sweep to continue it. The caller holds the sweep's lock.
    static RecordedSweep recover(const SweepDirectory& directory);

    /// Keys that may change, with their present values. Keys without a value are left out.
    OrderedJson limits() const;

    SweepDirectory directory;
    std::optional<std::string> holder;  ///< who worked on it just before the journal was read, which is thus no older
    std::optional<FrozenFile> frozen;  ///< none in an old journal, for which the present file is used
    SweepFile file;                    ///< the sweep's file with the present limits
    History history;
    Journal::End end;

  private:
    RecordedSweep(SweepDirectory directory, History::Purpose purpose, Reports kept, JobWatch* watch);
};

/// The trial with the number that `--trial` gives, or the best one. Throws InvalidInput if there is none; `otherwise`
/// states the consequence, such as "there is nothing to export".
TrialId chosen_trial(const RecordedSweep& sweep, std::optional<int> number, std::string_view otherwise);

/// The trial with this number. Throws InvalidInput if there is no such trial.
const Trial& known_trial(const Sweep& sweep, TrialId id);

/// The sweep's file with its original limits. Throws InvalidInput as RecordedSweep does.
SweepFile read_first_file(const SweepDirectory& directory, const std::optional<FrozenFile>& frozen);

/// Overrides of the sweep's present file after these changes: all keys that may change, and defaults that differed when
/// the sweep began.
std::vector<Override> limits_after(const std::optional<FrozenFile>& frozen, const std::vector<LimitsChange>& changes);

}  // namespace crescendo::launch
