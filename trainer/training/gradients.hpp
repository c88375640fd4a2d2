#pragma once

#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

/// Throws InvalidInput for a parameter that learns and that backward left without a gradient, or with a sparse one. Its
/// update would be missing, and members of a group would wait for it.
void expect_gradients(const Trial& trial);

}  // namespace crescendo::trainer
