#pragma once

#include "launch/import/import_formats.hpp"

namespace crescendo::launch {

bool is_ray(const OrderedJson& root);

/// Imports a file in the style of Ray Tune: `config:` (or `param_space:`), on its own or under an experiment's name,
/// with `grid_search` lists and texts such as "tune.loguniform(1e-4, 1e-1)". Throws InvalidInput if such a text cannot
/// be parsed.
ImportedSweep import_ray(const OrderedJson& root, const ForeignFile& file);

}  // namespace crescendo::launch
