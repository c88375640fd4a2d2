#pragma once

#include "launch/export/export_formats.hpp"

namespace crescendo::launch {

/// A log folder for TensorBoard: a run for each trial, named by its number, with its metrics as scalars by resource,
/// and its configuration for the HParams tab. Later reports of a trial are appended to its file.
Exported tensorboard_logs(const ExportRequest& request);

}  // namespace crescendo::launch
