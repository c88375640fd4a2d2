#pragma once

#include "launch/import/import_formats.hpp"

namespace crescendo::launch {

/// Whether it is a configuration of Hydra with a search space: `hydra.sweeper.params`, of the basic sweeper (all
/// combinations) or of Optuna's, or `search_space`, as in older versions of the latter.
bool is_hydra(const OrderedJson& root);

/// Throws InvalidInput if a parameter belongs to another sweeper.
ImportedSweep import_hydra(const OrderedJson& root, const ForeignFile& file);

}  // namespace crescendo::launch
