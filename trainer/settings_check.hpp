#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "trainer/settings/catalogue.hpp"
#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// Implements `crescendo-trainer --check`: returns everything that is wrong with a sweep's settings, before any trial
/// starts.
///
/// `request` has `settings`, the section without the searched parameters, and `parameters`, a list of values for each
/// name. Each value is tried in turn, while the other parameters have their first value. Opens the data sets. A problem
/// that a parameter's value causes has the key "parameters.<name>". If `request` has the sweep's `metric`, the trials
/// must report a metric of that name.
std::vector<Problem> check_settings(const nlohmann::json& request, const Catalogue& catalogue);

/// Warnings about valid settings that are probably unintended: settings of models and optimizers that no trial uses,
/// training samples that are shuffled among only a few chunks at a time, and sets that share samples. `request` is that
/// of check_settings(). Each parameter has its first value.
std::vector<Problem> remarks_on_settings(const nlohmann::json& request, const Catalogue& catalogue);

}  // namespace crescendo::trainer
