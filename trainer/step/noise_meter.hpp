#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace crescendo::trainer {

/// Measures the squared norms of gradients on the device, and changes nothing there.
///
/// A hook sees the gradient of each parameter as backward makes it, before it joins those of other micro-batches and of
/// other members.
class NoiseMeter {
  public:
    struct Sums {
        double parts = 0.0;  ///< sum over the measured backward() calls: squared norm, divided by samples
        double whole = 0.0;  ///< squared norm of the gradients that the parameters have now
    };

    explicit NoiseMeter(const std::vector<at::Tensor>& parameters);
    ~NoiseMeter();

    /// Forgets what was measured.
    void reset();

    /// The next backward() is measured, until end_part().
    void begin_part();
    /// That backward() was of `samples` samples.
    void end_part(std::int64_t samples);

    /// Sums::parts on the device, as float64, and forgets it. Undefined if no part was measured.
    at::Tensor take_parts();

    /// `parts` is what take_parts() gave. Waits for the device.
    Sums take(const at::Tensor& parts);

  private:
    struct Watch;  ///< what the hooks share

    std::vector<at::Tensor> parameters_;
    std::shared_ptr<Watch> watch_;
    std::vector<at::Tensor> parts_;
};

}  // namespace crescendo::trainer
