#pragma once

#include <memory>

#include "trainer/settings/model_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `resnet18`, `resnet34` and `resnet50` (He et al., "Deep Residual Learning for Image Recognition", CVPR 2016), with
/// `width` channels at first: 64 is the paper's. Parameters and buffers have the names and shapes of torchvision's.
///
/// `stem: large` is that of the paper. `stem: small`, for small images, is a 3x3 convolution that keeps height and
/// width (section 4.2).
std::shared_ptr<ModelSpec> read_resnet18(Section& section);
std::shared_ptr<ModelSpec> read_resnet34(Section& section);
std::shared_ptr<ModelSpec> read_resnet50(Section& section);

}  // namespace crescendo::trainer
