#pragma once

#include "launch/export/export_formats.hpp"

namespace crescendo::launch {

/// A trial as an entry of DAWNBench (github.com/stanford-futuredata/dawn-bench-entries, version v1.0):
/// TASK/train/AUTHOR_MODEL_HARDWARE_FRAMEWORK.json and .tsv, with one line for each report, on the trial's training
/// clock. If the trial's latency was measured, also TASK/inference/….json.
Exported dawnbench_entry(const ExportRequest& request);

}  // namespace crescendo::launch
