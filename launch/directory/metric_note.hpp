#pragma once

#include <string>
#include <vector>

#include "launch/json/json.hpp"
#include "launch/sweep_file/keys/overrides.hpp"
#include "scheduler/sweep_spec.hpp"

namespace crescendo::launch {

/// The sweep's run.json with what the first report decided, because the sweep's file names no metric.
Json with_metric(Json run, const std::string& name, Goal goal);

/// What with_metric() put into `run`, for a sweep file that does not say it. Empty if nothing was.
std::vector<Override> noted_metric(const Json& run);

}  // namespace crescendo::launch
