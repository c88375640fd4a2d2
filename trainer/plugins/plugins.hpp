#pragma once

#include <string>

#include "trainer/settings/catalogue.hpp"

namespace crescendo::trainer {

/// Adds the models and losses of a plug-in to the catalogue, for Catalogue::add_plugin. Throws InvalidInput if the
/// library cannot be used, or if the catalogue already has one of its names.
void add_plugin(const std::string& library, Catalogue& catalogue);

/// Lists the models and losses of a plug-in with their options, one per line, for users.
std::string list_plugin(const std::string& library);

}  // namespace crescendo::trainer
