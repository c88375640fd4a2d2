#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/models/named_tensor.hpp"

namespace crescendo::trainer {

/// Updates parameters from their gradients, and names the tensors that it keeps for each of them. A regroup, and a
/// checkpoint, hold these and the number of updates, and so the whole state.
///
/// A new optimizer is one file: an OptimizerSpec with its settings, which makes an Optimizer; and one row in
/// optimizers.cpp. One of torch::optim's is a TorchOptimizer; one with a rule of its own is a PerParameterOptimizer.
class Optimizer {
  public:
    /// One tensor of a parameter's state, such as "momentum_buffer".
    struct StateTensor {
        std::string parameter;
        std::string name;
        at::Tensor tensor;  ///< the state itself, no copy
    };

    explicit Optimizer(const std::vector<NamedTensor>& parameters) : parameters_(parameters) {}
    virtual ~Optimizer() = default;

    /// One update of all parameters from their gradients.
    void step(double learning_rate);

    /// Number of updates since the beginning or the last reset.
    std::int64_t num_steps() const { return num_steps_; }

    /// The weights that evaluations take, of each parameter; none if these are the parameters themselves.
    virtual std::vector<at::Tensor> evaluation_weights() const { return {}; }

    /// The state's tensors, parameter by parameter, always in the same order. None before the first step.
    std::vector<StateTensor> state() const;

    /// Makes the state that `num_steps` updates leave, with zeros in its tensors, which the caller fills in. reset(0)
    /// forgets everything.
    void reset(std::int64_t num_steps = 0);

  private:
    virtual void update(double learning_rate) = 0;

    /// The tensors that it keeps for a parameter. Is asked after an update or make_state().
    virtual std::vector<NamedTensor> state_of(const at::Tensor& parameter) const = 0;

    /// Makes the tensors of a parameter as zeros, as if there had been `num_steps` updates, of which there is one.
    virtual void make_state(const at::Tensor& parameter, std::int64_t num_steps) = 0;

    virtual void forget_state() = 0;

    const std::vector<NamedTensor> parameters_;
    std::int64_t num_steps_ = 0;
};

}  // namespace crescendo::trainer
