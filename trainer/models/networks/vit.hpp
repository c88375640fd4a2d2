#pragma once

#include <memory>

#include "trainer/settings/model_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `vit`: a vision transformer (Dosovitskiy et al., ICLR 2021), with the parameters of torchvision's, by the same
/// names.
std::shared_ptr<ModelSpec> read_vit(Section& section);

}  // namespace crescendo::trainer
