#pragma once

#include <cstdint>
#include <vector>

#include "trainer/models/named_tensor.hpp"

namespace crescendo::trainer {

/// Those of the tensors that have a moving average, as parameters and a norm's running statistics do: real numbers.
std::vector<NamedTensor> with_average(std::vector<NamedTensor> tensors);

/// Exponential moving averages of a network's parameters and buffers.
class MovingAverages {
  public:
    /// They are what `tensors` are now, and follow these from now on.
    void begin(const std::vector<NamedTensor>& tensors);

    /// None before begin().
    bool empty() const { return all_.empty(); }

    /// Takes in what the tensors are after `num_updates` of them. In the first ones the average is short: that of the
    /// first weights would last for long. What is in `instead` counts in place of the first tensors.
    void update(double decay, std::int64_t num_updates, const std::vector<at::Tensor>& instead);

    /// The averages themselves, no copies, in the order of the tensors and by their names.
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
