#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launch/directory/sweep_directory.hpp"
#include "launch/doctor/disk_room.hpp"
#include "launch/doctor/finding.hpp"

namespace crescendo::launch {

/// The most trials of a sweep whose files lie on the disk at a time.
struct TrialsOnDisk {
    std::optional<int> most;  ///< none: any number, because neither the sweep's file nor `keep` limits it
    std::string reason;       ///< who they are: "2 that run and the best 5"
};

/// Trials that fail are not foreseen; their files stay.
TrialsOnDisk trials_on_disk(const SweepFile& file, int num_slots);

/// What the trials of a sweep have left on the disk.
struct DiskUse {
    std::uintmax_t all = 0;      ///< bytes of all folders of trials
    std::uintmax_t largest = 0;  ///< bytes of the largest folder of a trial
};
DiskUse disk_use(const SweepDirectory& directory);

/// Whether the files of a sweep's trials fit. `per_trial` is how many bytes a trial leaves (0: nobody knows), `used` how
/// many the sweep takes already.
Finding examine_need(const TrialsOnDisk& trials, double per_trial, double used, const DiskRoom& room);

}  // namespace crescendo::launch
