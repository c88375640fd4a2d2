#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/models/named_tensor.hpp"

namespace crescendo::trainer {

/// Updates parameters from their gradients, and gives access to the state tensors of each parameter by name. These
/// tensors and the number of updates are its whole state, for regroups and checkpoints.
///
/// To add an optimizer, write one file with an OptimizerSpec, which reads its settings and makes the Optimizer, and add
/// one row in optimizers.cpp. Use TorchOptimizer for an optimizer of torch::optim, and PerParameterOptimizer for an
/// update rule of your own.
class Optimizer {
  public:
    /// One tensor of a parameter's state, such as "momentum_buffer".
    struct StateTensor {
        std::string parameter;
        std::string name;
        at::Tensor tensor;  ///< shares memory with the state
    };

    explicit Optimizer(const std::vector<NamedTensor>& parameters) : parameters_(parameters) {}
    virtual ~Optimizer() = default;

    /// Updates all parameters once, from their gradients.
    void step(double learning_rate);

    /// Number of updates since the beginning or the last reset.
    std::int64_t num_steps() const { return num_steps_; }

    /// The weights that evaluations use, one tensor per parameter; empty if they use the parameters themselves.
    virtual std::vector<at::Tensor> evaluation_weights() const { return {}; }

    /// The state tensors, parameter by parameter, always in the same order. Empty before the first step.
    std::vector<StateTensor> state() const;

    /// Makes the state as after `num_steps` updates, with zeros in its tensors, for the caller to fill in. reset(0)
    /// forgets everything.
    void reset(std::int64_t num_steps = 0);

  private:
    virtual void update(double learning_rate) = 0;

    /// The state tensors of a parameter. Called only after an update or make_state().
    virtual std::vector<NamedTensor> state_of(const at::Tensor& parameter) const = 0;

    /// Makes the state tensors of a parameter, filled with zeros, as after `num_steps` (at least 1) updates.
    virtual void make_state(const at::Tensor& parameter, std::int64_t num_steps) = 0;

    virtual void forget_state() = 0;

    const std::vector<NamedTensor> parameters_;
    std::int64_t num_steps_ = 0;
};

}  // namespace crescendo::trainer
