#pragma once

#include <ATen/record_function.h>

namespace crescendo::trainer {

/// Counts the floating-point operations of convolutions, matrix products and attention, forward and backward, as long
/// as it lives: a multiplication and an addition are two. What costs little beside them is not counted: norms,
/// activations, pooling.
///
/// There is one at a time. It counts what this thread computes, and the threads to which torch hands its backward.
class FlopCounter {
  public:
    FlopCounter();
    FlopCounter(const FlopCounter&) = delete;
    FlopCounter& operator=(const FlopCounter&) = delete;
    ~FlopCounter();

    /// Operations since the counter began.
    double flop() const;

  private:
    at::CallbackHandle handle_;
};

}  // namespace crescendo::trainer
