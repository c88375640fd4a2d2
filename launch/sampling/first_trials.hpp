#pragma once

#include <functional>
#include <string>

#include "launch/sweep_file/sweep_file.hpp"
#include "scheduler/sweep/sweep.hpp"

namespace crescendo::launch {

/// A sweep of the file's first `count` trials, or of fewer if a sampler has no more without results, before any of them
/// has reported. The warm start has to be gathered. `say` and `note` are as in SourceSettings.
Sweep first_trials(const SweepFile& file, int count, const std::function<void(const std::string&)>& say,
                   const std::function<void(const std::string&)>& note = {});

}  // namespace crescendo::launch
