#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace crescendo::trainer {

/// Measures the squared norms of gradients on the device, without changing the gradients.
///
/// A hook sees each parameter's gradient as backward produces it, before it is added to the gradients of other
/// micro-batches and of other members.
class NoiseMeter {
  public:
    struct Sums {
        double parts = 0.0;  ///< sum over the measured backward() calls of squared norm / samples
        double whole = 0.0;  ///< squared norm of the parameters' present gradients
    };

    explicit NoiseMeter(const std::vector<at::Tensor>& parameters);
    ~NoiseMeter();

    /// Discards all measurements.
    void reset();

    /// Starts to measure, for one backward() until end_part().
    void begin_part();
    /// Ends the measurement of a backward() over `samples` samples.
    void end_part(std::int64_t samples);

    /// Returns Sums::parts as a float64 tensor on the device, and resets it. Undefined if no part was measured.
    at::Tensor take_parts();

    /// Fetches the sums; `parts` is the result of take_parts(). Waits for the device.
    Sums take(const at::Tensor& parts);

  private:
    struct Watch;  ///< state that the hooks share

    std::vector<at::Tensor> parameters_;
    std::shared_ptr<Watch> watch_;
    std::vector<at::Tensor> parts_;
};

}  // namespace crescendo::trainer
