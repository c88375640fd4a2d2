#pragma once

#include <c10/core/impl/LocalDispatchKeySet.h>

namespace crescendo::trainer {

/// While it exists, torch draws no random numbers into tensors in this thread: they keep whatever their memory holds.
/// For models whose weights are about to come from elsewhere, since torch's layers cannot be made without drawing them.
class UnfilledWeights {
  public:
    UnfilledWeights();

  private:
    c10::impl::IncludeDispatchKeyGuard guard_;
};

}  // namespace crescendo::trainer
