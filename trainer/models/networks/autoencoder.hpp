#pragma once

#include <memory>

#include "trainer/settings/model_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `autoencoder`: `depth` times a 3x3 convolution of stride 2 and activation, with `width` channels at first and twice
/// as many each time; a 1x1 convolution to the code of `latent` channels, followed by dropout; back the same way, by a
/// 3x3 convolution and `depth` times nearest neighbours and a 3x3 convolution, with an activation between each two.
///
/// It reconstructs its inputs, unless the targets are fields (height x width, or channels x height x width) of the
/// inputs' height and width: then it predicts these.
std::shared_ptr<ModelSpec> read_autoencoder(Section& section);

}  // namespace crescendo::trainer
