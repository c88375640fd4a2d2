#pragma once

#include "launch/import/import_formats.hpp"

namespace crescendo::launch {

bool is_determined(const OrderedJson& root);

/// Imports an experiment configuration of Determined. Throws InvalidInput if a hyperparameter or the searcher lacks
/// what its type needs.
ImportedSweep import_determined(const OrderedJson& root, const ForeignFile& file);

}  // namespace crescendo::launch
