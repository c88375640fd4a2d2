#pragma once

#include <memory>

#include "trainer/group/group.hpp"
#include "trainer/protocol/orders.hpp"
#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

/// Copies rank 0's state of the joined trial to all members: a header with the progress, then the weights, the model's
/// buffers and the optimizer's state.
///
/// Survivors at the same step as rank 0 receive into their own tensors, which already hold the same bits, so they need
/// no second model. Newcomers make a new model, and so do survivors that differ by a step after a peer was lost.
///
/// Rank 0 passes its trial. On members with a new model, `trial` is replaced after everything has arrived. If this
/// throws PeerLost, a survivor's `trial` is unchanged, except that it may have rank 0's buffers, and a newcomer has no
/// trial.
void share_state(const Group& group, const Join& join, const Settings& settings, std::unique_ptr<Trial>& trial);

}  // namespace crescendo::trainer
