#pragma once

#include "launch/directory/sweep_directory.hpp"
#include "launch/directory/sweep_lock.hpp"
#include "launch/journal/history.hpp"
#include "launch/journal/journal.hpp"
#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// A sweep on which this process works.
struct OpenSweep {
    const SweepFile& file;
    const SweepDirectory& directory;
    Journal& journal;
    History& history;           ///< has taken every record of `journal`
    SweepLock* lock = nullptr;  ///< held by this process; null if no other process knows the sweep, as in tests
};

}  // namespace crescendo::launch
