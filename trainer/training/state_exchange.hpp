#pragma once

#include <memory>

#include "trainer/group/group.hpp"
#include "trainer/protocol/orders.hpp"
#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

/// Gives rank 0's state of the joined trial to all members: a header with the progress, then the weights, the model's
/// buffers and the optimizer's state.
///
/// Survivors that made rank 0's steps receive into their own tensors the bits that these already hold, so they need no
/// second model. Newcomers make theirs, and so do survivors that a lost peer left a step apart.
///
/// Rank 0 passes its trial. At members with a new model, `trial` is replaced once everything has arrived. If this
/// throws PeerLost, a survivor's `trial` is as it was, but that it may have rank 0's buffers, and a newcomer has none.
void share_state(const Group& group, const Join& join, const Settings& settings, std::unique_ptr<Trial>& trial);

}  // namespace crescendo::trainer
