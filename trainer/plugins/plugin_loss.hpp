#pragma once

#include <memory>
#include <string>

#include "trainer/plugins/crescendo/model_plugin.hpp"
#include "trainer/settings/loss_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// Reads the options of a plug-in's loss from the settings. `loss` must outlive the result.
std::shared_ptr<LossSpec> read_plugin_loss(Section& section, const plugin::RegisteredLoss& loss,
                                           const std::string& library);

}  // namespace crescendo::trainer
