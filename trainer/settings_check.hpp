#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "trainer/settings/catalogue.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// Answers `crescendo-trainer --check`: everything that is wrong with a sweep's settings, before any trial starts.
///
/// `request` has `settings`, the section without the searched parameters, and `parameters`, a list of values for each
/// name. Each value is put into the settings in turn, while the other parameters have their first value. The data sets
/// are opened. A problem that a parameter's value causes has the key "parameters.<name>". If `request` has the name of
/// the sweep's `metric`, the trials have to report it.
std::vector<Problem> check_settings(const nlohmann::json& request, const Catalogue& catalogue);

/// What settings without problems allow but hardly mean: settings of models and optimizers that no trial has,
/// training samples that are shuffled among few chunks at a time, and sets that share samples.
/// `request` is that of check_settings(). Each parameter has its first value.
std::vector<Problem> remarks_on_settings(const nlohmann::json& request, const Catalogue& catalogue);

}  // namespace crescendo::trainer
