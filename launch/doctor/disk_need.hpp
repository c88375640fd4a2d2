#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launch/directory/sweep_directory.hpp"
#include "launch/doctor/disk_room.hpp"
#include "launch/doctor/finding.hpp"

namespace crescendo::launch {

/// The maximum number of trials whose files are on the disk at the same time.
struct TrialsOnDisk {
    std::optional<int> most;  ///< none: unlimited, because neither the sweep file nor `keep` limits it
    std::string reason;       ///< which trials these are: "2 running and the best 5"
};

/// Computes the maximum for a sweep on `num_slots` slots. Failed trials are not counted, although their files stay.
TrialsOnDisk trials_on_disk(const SweepFile& file, int num_slots);

/// Disk space that the trials of a sweep use.
struct DiskUse {
    std::uintmax_t all = 0;      ///< bytes in the folders of all trials
    std::uintmax_t largest = 0;  ///< bytes in the largest folder of a trial
};
DiskUse disk_use(const SweepDirectory& directory);

/// Checks whether the files of a sweep's trials fit on the disk. `per_trial`: bytes per trial (0: unknown). `used`:
/// bytes that the sweep takes already.
Finding examine_need(const TrialsOnDisk& trials, double per_trial, double used, const DiskRoom& room);

}  // namespace crescendo::launch
