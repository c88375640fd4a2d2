#pragma once

#include <memory>

#include "trainer/settings/model_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `cnn`: `depth` times a convolution of `kernel_size`, activation and 2x2 max-pooling, with `width` channels at first
/// and twice as many each time; a hidden layer of 8 x `width` units, followed by dropout; the outputs.
std::shared_ptr<ModelSpec> read_cnn(Section& section);

}  // namespace crescendo::trainer
