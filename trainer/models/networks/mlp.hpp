#pragma once

#include <memory>

#include "trainer/settings/model_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `mlp`: `depth` hidden layers of `width` units, each followed by dropout; the outputs. Columns that hold codes of
/// categories become vectors first (Embeddings).
std::shared_ptr<ModelSpec> read_mlp(Section& section);

}  // namespace crescendo::trainer
