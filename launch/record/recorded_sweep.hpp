#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launch/record/frozen_file.hpp"
#include "launch/record/history.hpp"
#include "launch/record/sweep_directory.hpp"
#include "launch/slurm/slurm.hpp"

namespace crescendo::launch {

/// A sweep as its directory tells it; its process, if there is one, is not asked.
///
/// The journal is the truth. The sweep's file has to say what it said when the sweep began, but for the keys that may
/// change: of these, what the journal has counts, and not what the file says now.
struct RecordedSweep {
    /// To look at: where nobody is at work, what ran waits. Throws InvalidInput, naming file, line and key, where the
    /// sweep's file was changed.
    explicit RecordedSweep(const std::filesystem::path& path);

    /// To continue, by the one who holds the sweep's lock.
    static RecordedSweep recover(const SweepDirectory& directory);

    /// In seconds, where the sweep has one.
    std::optional<double> time_budget() const;

    /// Keys that may change, with the values that hold now; those that are not given are left out.
    std::map<std::string, Json> limits() const;

    SweepDirectory directory;
    std::optional<FrozenFile> frozen;  ///< none in an old journal: the file as it is now has to do
    SweepFile file;                    ///< with the limits that hold now
    History history;
    Journal::End end;

  private:
    enum class Purpose { look, go_on };
    RecordedSweep(SweepDirectory directory, Purpose purpose);
};

/// The sweep's file with the limits that the sweep began with. Throws InvalidInput as RecordedSweep does.
SweepFile read_first_file(const SweepDirectory& directory, const std::optional<FrozenFile>& frozen);

/// The values of all keys that may change, after these changes.
std::vector<Override> limits_after(const std::optional<FrozenFile>& frozen, const std::vector<LimitsChange>& changes);

/// Of the sweep's last job; gone where it never had one, or Slurm cannot be asked.
JobState state_of_job(const SweepDirectory& directory);

/// "queued", "running", "stopped", "finished" or "failed". Asks Slurm about a sweep that was submitted and has no
/// coordinator now.
std::string state_of(const RecordedSweep& sweep);

}  // namespace crescendo::launch
