#pragma once

#include "launch/export/export_formats.hpp"

namespace crescendo::launch {

/// trials.csv, with the columns of `crescendo trials`, and reports.csv: trial, resource, time (seconds that the sweep
/// had been at work), seconds (training clock), workers, and every metric.
Exported csv_tables(const ExportRequest& request);

/// trials.json and reports.json: the same columns as csv_tables(), as lists of objects.
Exported json_tables(const ExportRequest& request);

}  // namespace crescendo::launch
