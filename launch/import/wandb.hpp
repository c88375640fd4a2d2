#pragma once

#include "launch/import/import_formats.hpp"

namespace crescendo::launch {

bool is_wandb(const OrderedJson& root);

/// Imports a sweep file of W&B. Defaults of W&B that the file relies on, and keys that have another name here, are
/// written out. Throws InvalidInput with all mistakes of the file.
ImportedSweep import_wandb(const OrderedJson& root, const ForeignFile& file);

}  // namespace crescendo::launch
