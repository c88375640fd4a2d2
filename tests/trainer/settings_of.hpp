#pragma once

#include <nlohmann/json_fwd.hpp>

#include "trainer/settings/settings.hpp"

namespace crescendo::trainer::test {

/// Settings as crescendo-trainer reads them from `section`, which need not name training data.
Settings settings_of(nlohmann::json section);

}  // namespace crescendo::trainer::test
