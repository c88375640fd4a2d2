#pragma once

#include <string>
#include <vector>

#include "trainer/plugins/crescendo/model_plugin.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// The values of options: what the settings say, else the option's own. What cannot be used is a problem of the
/// section.
plugin::Config read_options(Section& section, const std::vector<plugin::Option>& options);

/// What is wrong with how a plug-in declares its options; empty if nothing is.
std::string mistake_of(const std::vector<plugin::Option>& options);

/// An option as a plug-in's list shows it: "width: 1 to 4096, by default 64".
std::string describe(const plugin::Option& option);

}  // namespace crescendo::trainer
