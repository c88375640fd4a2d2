#pragma once

#include <optional>

#include "scheduler/actions.hpp"

namespace crescendo {

/// What the end of a trial says about its configuration.
enum class Ending {
    complete,  ///< the trial's last value is the configuration's final value
    lost,      ///< the configuration is bad, but no value says how bad
    none,      ///< nothing beyond what its rungs said: the trial has not ended, or ended before its next rung
};

/// `has_value`: whether the trial has reported. `has_rungs`: whether trials count at several rungs of the sweep.
Ending ending_of(std::optional<StopReason> reason, bool has_value, bool has_rungs);

}  // namespace crescendo
