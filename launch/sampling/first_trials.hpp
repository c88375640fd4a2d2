#pragma once

#include <functional>
#include <string>

#include "launch/sweep_file/sweep_file.hpp"
#include "scheduler/sweep/sweep.hpp"

namespace crescendo::launch {

/// A sweep with the file's first `count` trials, none of which has reported. It has fewer if a sampler needs results to
/// propose more. Call gather_warm_start() first. `say` and `note` are as in SourceSettings.
Sweep first_trials(const SweepFile& file, int count, const std::function<void(const std::string&)>& say,
                   const std::function<void(const std::string&)>& note = {});

}  // namespace crescendo::launch
