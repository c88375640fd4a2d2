#pragma once

#include "launch/export/export_formats.hpp"

namespace crescendo::launch {

/// A folder of logs for TensorBoard: a run for each trial, by its number, with its metrics as scalars by resource, and
/// its configuration for the HParams tab. What a trial adds later is added at the end of its file.
Exported tensorboard_logs(const ExportRequest& request);

}  // namespace crescendo::launch
