#pragma once

#include <memory>

#include "trainer/group/group.hpp"
#include "trainer/protocol/orders.hpp"
#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

/// Gives rank 0's state of the joined trial to all members: a header with the progress, then the weights, the model's
/// buffers and the optimizer's state, one block of memory for each type of numbers. Survivors of a regroup receive the
/// bits that they already hold. If a lost peer left them a step apart, they receive those of rank 0.
///
/// Rank 0 passes its trial. At the others, `trial` is replaced once everything has arrived. If this throws PeerLost,
/// `trial` is as it was.
void share_state(const Group& group, const Join& join, const Settings& settings, std::unique_ptr<Trial>& trial);

}  // namespace crescendo::trainer
