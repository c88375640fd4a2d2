#pragma once

#include "launch/import/import_formats.hpp"

namespace crescendo::launch {

bool is_wandb(const OrderedJson& root);

/// A sweep file of W&B in our own words: what it leaves to W&B's defaults, or what has another name here, is written
/// out. Throws InvalidInput with all mistakes of the file.
ImportedSweep import_wandb(const OrderedJson& root, const ForeignFile& file);

}  // namespace crescendo::launch
