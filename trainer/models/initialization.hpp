#pragma once

#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

class Model;

/// Redraws a model's weights from torch's generator, and sets biases to zero. Does nothing for Initialization::torch.
/// Scales, which have one dimension, and embedding vectors of categories keep their values.
void initialize(Model& model, Initialization initialization);

}  // namespace crescendo::trainer
