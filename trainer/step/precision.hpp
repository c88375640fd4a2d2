#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// The tensor type in which a precision computes products. It is float32 for tf32 too, which has no type of its own.
at::ScalarType product_type(Precision precision);

/// While it lives, this thread's operations on a device compute in a given precision, like torch.autocast in Python:
/// products in the short type, sums and norms in float32. On CPUs, three-dimensional convolutions stay float32 too,
/// because torch's bfloat16 gradients of them are wrong. It caches copies of the weights in the short type, so the
/// weights must not change while it lives.
class Autocast {
  public:
    Autocast(Precision precision, at::DeviceType device);
    Autocast(const Autocast&) = delete;
    Autocast& operator=(const Autocast&) = delete;
    ~Autocast();

  private:
    bool on_;
    at::DeviceType device_;
};

/// Sets torch's process-wide switches, which stay until the next trial sets them: whether float32 products on a GPU may
/// use TF32, and whether every operation must give the same bits each time. In the latter case, operations without a
/// deterministic form throw, and NCCL communicators made from then on add in a fixed order, unless the user has set
/// NCCL_ALGO.
void set_process_switches(Precision precision, bool deterministic, at::DeviceType device);

/// Divides the gradients of the parameters by the loss scale `scale`. Returns whether all gradients are finite. Waits
/// for the device.
bool unscale_gradients(const std::vector<at::Tensor>& parameters, double scale);

}  // namespace crescendo::trainer
