#pragma once

#include <string>

#include "trainer/settings/catalogue.hpp"

namespace crescendo::trainer {

/// Adds the models and losses of a plug-in to the catalogue, for Catalogue::add_plugin. Throws InvalidInput if the
/// library cannot be used, or has a name that the catalogue has already.
void add_plugin(const std::string& library, Catalogue& catalogue);

/// The models and losses of a plug-in with their options, for users: a line each.
std::string list_plugin(const std::string& library);

}  // namespace crescendo::trainer
