#pragma once

#include <memory>

#include "trainer/settings/model_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `r3d` and `r2plus1d`: residual networks of short videos (Tran et al., "A Closer Look at Spatiotemporal Convolutions
/// for Action Recognition", CVPR 2018), with `depth` blocks in each of four stages. A sample is (frames, height, width)
/// or (frames, channels, height, width).
///
/// In `r3d`, kernels are cubes over time, height and width. In `r2plus1d`, a kernel over height and width is followed
/// by one over time, with so many channels between them that both networks have about as many parameters.
///
/// With `width: 64`, `depth: 2` and `stem: large`, parameters and buffers have the names and shapes of torchvision's
/// r3d_18 and r2plus1d_18. `stem: small`, for small images, is a 3x3x3 convolution that keeps height and width.
std::shared_ptr<ModelSpec> read_r3d(Section& section);
std::shared_ptr<ModelSpec> read_r2plus1d(Section& section);

}  // namespace crescendo::trainer
