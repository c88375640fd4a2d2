#pragma once

#include <ATen/record_function.h>

namespace crescendo::trainer {

/// While it lives, counts the floating-point operations of convolutions, matrix products and attention, forward and
/// backward. A multiplication and an addition count as two. Norms, activations and pooling are not counted, because
/// they cost little in comparison.
///
/// At most one counter may exist at a time. It counts operations of this thread and of the threads that run torch's
/// backward for it.
class FlopCounter {
  public:
    FlopCounter();
    FlopCounter(const FlopCounter&) = delete;
    FlopCounter& operator=(const FlopCounter&) = delete;
    ~FlopCounter();

    /// Number of operations since the counter was made.
    double flop() const;

  private:
    at::CallbackHandle handle_;
};

}  // namespace crescendo::trainer
