#pragma once

#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

class Model;

/// Draws a model's weights anew, from torch's generator, and sets biases to zero. Torch's own initialization stays as
/// it is. Scales, which have one dimension, and vectors of categories stay as well.
void initialize(Model& model, Initialization initialization);

}  // namespace crescendo::trainer
