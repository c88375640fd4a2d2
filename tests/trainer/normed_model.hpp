#pragma once

#include "trainer/settings/catalogue.hpp"

namespace crescendo::trainer::test {

/// All models and optimizers of crescendo-trainer, and one model more: `normed`, for images of 8 x 8. It has a 3x3
/// convolution `conv` to four channels, their normalization over the batch `norm`, ReLU, and the outputs `output`.
Catalogue catalogue_with_normed();

}  // namespace crescendo::trainer::test
