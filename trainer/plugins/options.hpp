#pragma once

#include <string>
#include <vector>

#include "trainer/plugins/crescendo/model_plugin.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// Reads the values of options: from the settings, or else the option's default. Adds a problem to the section for each
/// value that cannot be used.
plugin::Config read_options(Section& section, const std::vector<plugin::Option>& options);

/// What is wrong with a plug-in's declaration of its options; empty if nothing is.
std::string mistake_of(const std::vector<plugin::Option>& options);

/// An option as list_plugin() shows it: "width: 1 to 4096, by default 64".
std::string describe(const plugin::Option& option);

}  // namespace crescendo::trainer
