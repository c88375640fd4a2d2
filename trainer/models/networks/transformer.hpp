#pragma once

#include <memory>

#include "trainer/settings/model_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `transformer`: the encoder of a transformer over a series, whose tokens' mean gives the outputs.
std::shared_ptr<ModelSpec> read_transformer(Section& section);

}  // namespace crescendo::trainer
