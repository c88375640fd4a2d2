#pragma once

#include <c10/core/impl/LocalDispatchKeySet.h>

namespace crescendo::trainer {

/// While it lives, torch fills no tensors with random numbers in this thread: they keep what their memory holds. Use it
/// for models whose weights will be loaded, because torch's layers cannot be made without drawing weights.
class UnfilledWeights {
  public:
    UnfilledWeights();

  private:
    c10::impl::IncludeDispatchKeyGuard guard_;
};

}  // namespace crescendo::trainer
