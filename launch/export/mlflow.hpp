#pragma once

#include "launch/export/export_formats.hpp"

namespace crescendo::launch {

/// A file store of MLflow (`mlruns`), with one experiment of the sweep's name and a run for each trial: parameters,
/// every metric by resource, dates, status. The ids are always the same for a sweep, so that a new export replaces the
/// old.
Exported mlflow_store(const ExportRequest& request);

}  // namespace crescendo::launch
