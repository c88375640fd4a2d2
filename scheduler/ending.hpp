#pragma once

#include <optional>

#include "scheduler/actions.hpp"

namespace crescendo {

/// What the end of a trial says of its configuration.
enum class Ending {
    complete,  ///< its last value is what it comes to
    lost,      ///< no value says how good it is, but it is bad
    none,      ///< nothing more than its rungs did: it has not ended, or before it came to the next one
};

/// `has_value`: whether the trial has reported. `has_rungs`: whether trials count at several rungs of the sweep.
Ending ending_of(std::optional<StopReason> reason, bool has_value, bool has_rungs);

}  // namespace crescendo
