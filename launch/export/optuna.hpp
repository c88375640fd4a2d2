#pragma once

#include "launch/export/export_formats.hpp"

namespace crescendo::launch {

/// study.log: a journal of Optuna (JournalFileBackend) with one study that has the sweep's name.
///
/// A trial is complete if it finished, and pruned if it was stopped. Its value is the one of its last report, and its
/// intermediate values are all its reports by resource.
Exported optuna_study(const ExportRequest& request);

}  // namespace crescendo::launch
