#pragma once

#include <memory>

#include "trainer/settings/model_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `unet`: a U-Net (Ronneberger, Fischer and Brox, MICCAI 2015) that keeps height and width, from fields to fields.
std::shared_ptr<ModelSpec> read_unet(Section& section);

}  // namespace crescendo::trainer
