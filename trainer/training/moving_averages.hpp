#pragma once

#include <cstdint>
#include <vector>

#include "trainer/models/named_tensor.hpp"

namespace crescendo::trainer {

/// The tensors that get a moving average: those of float32 or float64, such as parameters and a norm's running
/// statistics.
std::vector<NamedTensor> with_average(std::vector<NamedTensor> tensors);

/// Exponential moving averages of a network's parameters and buffers.
class MovingAverages {
  public:
    /// Starts the averages with the present values of `tensors`, which they follow from now on.
    void begin(const std::vector<NamedTensor>& tensors);

    /// Whether begin() has not been called yet.
    bool empty() const { return all_.empty(); }

    /// Adds the tensors' values after `num_updates` updates. The first updates average over a shorter time, because the
    /// initial weights would otherwise last for long. Tensors in `instead` replace the first followed tensors.
    void update(double decay, std::int64_t num_updates, const std::vector<at::Tensor>& instead);

    /// The averages themselves, not copies, with the tensors' order and names.
    std::vector<NamedTensor> named() const;
    std::vector<at::Tensor> tensors() const;

  private:
    struct Each {
        NamedTensor followed;
        at::Tensor average;
    };

    std::vector<Each> all_;
};

}  // namespace crescendo::trainer
