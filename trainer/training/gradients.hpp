#pragma once

#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

/// Throws InvalidInput if backward left a parameter that is not frozen without a gradient, or with a sparse one. Its
/// update would be missing, and members of a group would wait for it.
void expect_gradients(const Trial& trial);

}  // namespace crescendo::trainer
