#pragma once

#include <memory>
#include <string>

#include "trainer/plugins/crescendo/model_plugin.hpp"
#include "trainer/settings/loss_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// A loss of a plug-in, whose options are settings. `loss` must outlive it.
std::shared_ptr<LossSpec> read_plugin_loss(Section& section, const plugin::RegisteredLoss& loss,
                                           const std::string& library);

}  // namespace crescendo::trainer
