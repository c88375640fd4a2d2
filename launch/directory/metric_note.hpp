#pragma once

#include <string>
#include <vector>

#include "launch/json/json.hpp"
#include "launch/sweep_file/keys/overrides.hpp"
#include "scheduler/sweep_spec.hpp"

namespace crescendo::launch {

/// The sweep's run.json, plus the metric and goal that the first report decided because the sweep's file names no
/// metric.
Json with_metric(Json run, const std::string& name, Goal goal);

/// The overrides that with_metric() noted in `run`, for a sweep file that names no metric. Empty if there are none.
std::vector<Override> noted_metric(const Json& run);

}  // namespace crescendo::launch
