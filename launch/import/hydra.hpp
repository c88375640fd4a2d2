#pragma once

#include "launch/import/import_formats.hpp"

namespace crescendo::launch {

/// Whether it is a configuration of Hydra's with a search space: `hydra.sweeper.params`, of the sweeper that tries all
/// combinations or of Optuna's, or `search_space` as older versions of the latter have it.
bool is_hydra(const OrderedJson& root);

/// Throws InvalidInput if a parameter is of another sweeper.
ImportedSweep import_hydra(const OrderedJson& root, const ForeignFile& file);

}  // namespace crescendo::launch
