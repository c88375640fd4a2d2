#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/trial_protocol.hpp"
#include "trainer/data/data_cache.hpp"
#include "trainer/group/group.hpp"
#include "trainer/protocol/pulse.hpp"
#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

/// Trains a new trial, whose group is set, and measures where the time of a step goes. All members of the group call it
/// together. `settings` are the trial's settings from the order. The trial must not be used afterwards. Throws
/// PeerLost, and what reading the data throws.
protocol::Profiled profile(const protocol::Profile& order, const nlohmann::json& settings, Trial& trial,
                           const Group& group, DataCache& data, Pulse& pulse);

}  // namespace crescendo::trainer
