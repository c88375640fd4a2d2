#pragma once

#include "trainer/settings/catalogue.hpp"

namespace crescendo::trainer::test {

/// All models and optimizers of crescendo-trainer plus the model `normed`, for images of 8 x 8. It consists of a 3x3
/// convolution `conv` to four channels, a batch norm `norm`, ReLU, and a linear layer `output`.
Catalogue catalogue_with_normed();

}  // namespace crescendo::trainer::test
