#pragma once

#include <memory>
#include <string>

#include "trainer/plugins/crescendo/model_plugin.hpp"
#include "trainer/settings/model_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// Reads the options of a plug-in's model from the settings, like those of every model. `model` must outlive the
/// result.
std::shared_ptr<ModelSpec> read_plugin_model(Section& section, const plugin::RegisteredModel& model,
                                             const std::string& library);

}  // namespace crescendo::trainer
