#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// The type of the numbers that a precision computes products with: float32 also for tf32, which is no type of its own.
at::ScalarType product_type(Precision precision);

/// Has this thread's operations on a device compute in a precision as long as it lives, as torch.autocast does in
/// Python: products in the short type, sums and norms in float32. On CPUs, convolutions in three dimensions are float32
/// too, since torch's gradients of them are wrong in bfloat16. Keeps copies of the weights in the short type until
/// then, so weights must not change meanwhile.
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

/// Sets the switches of torch that hold for the whole process, until the next trial sets them: whether float32 products
/// on a GPU may be TF32, and whether every operation must give the same bits each time. One that cannot then throws,
/// and communicators of NCCL that are made from then on add up in one order, unless the user has set NCCL_ALGO.
void set_process_switches(Precision precision, bool deterministic, at::DeviceType device);

/// Divides the gradients of the parameters by the loss scale. Returns whether all of them are finite. Waits for the
/// device.
bool unscale_gradients(const std::vector<at::Tensor>& parameters, double scale);

}  // namespace crescendo::trainer
