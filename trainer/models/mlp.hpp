#pragma once

#include <memory>

#include "trainer/settings/model_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `mlp`: `depth` hidden layers of `width` units, each followed by dropout; the outputs.
std::shared_ptr<ModelSpec> read_mlp(Section& section);

}  // namespace crescendo::trainer
