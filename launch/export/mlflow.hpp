#pragma once

#include "launch/export/export_formats.hpp"

namespace crescendo::launch {

/// A file store of MLflow (`mlruns`), with one experiment that has the sweep's name, and a run for each trial:
/// parameters, every metric by resource, dates, status. A sweep always gets the same ids, so a new export replaces the
/// old one.
Exported mlflow_store(const ExportRequest& request);

}  // namespace crescendo::launch
