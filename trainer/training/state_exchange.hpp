#pragma once

#include <memory>

#include "trainer/group/group.hpp"
#include "trainer/protocol/orders.hpp"
#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

/// Gives rank 0's state of the joined trial to all members: a header with the progress, then one buffer
/// of weights and optimizer state. Survivors of a regroup receive the bits they hold already, or, where a lost
/// peer left them a step apart, rank 0's.
///
/// Rank 0 passes its trial; at the others `trial` is replaced once everything has arrived. Throws
/// PeerLost, and then `trial` is as it was.
void share_state(const Group& group, const Join& join, const Settings& settings, std::unique_ptr<Trial>& trial);

}  // namespace crescendo::trainer
