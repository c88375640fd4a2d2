#pragma once

#include <memory>
#include <string>

#include "trainer/plugins/crescendo/model_plugin.hpp"
#include "trainer/settings/model_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// A model of a plug-in, whose options are settings as those of every model. `model` must outlive it.
std::shared_ptr<ModelSpec> read_plugin_model(Section& section, const plugin::RegisteredModel& model,
                                             const std::string& library);

}  // namespace crescendo::trainer
