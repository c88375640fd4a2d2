#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trainer/settings/settings.hpp"

namespace torch::optim {
class Optimizer;
class OptimizerParamState;
}  // namespace torch::optim

namespace crescendo::trainer {

struct NamedTensor {
    std::string name;
    at::Tensor tensor;
};

/// SGD, Adam or AdamW of torch::optim, with access to its state.
class Optimizer {
  public:
    /// One tensor of a parameter's state: "momentum_buffer", or "exp_avg" or "exp_avg_sq".
    struct StateTensor {
        std::string parameter;
        std::string name;
        at::Tensor tensor;  ///< the state itself, no copy
    };

    /// The optimizer shares the parameters' memory.
    Optimizer(const Settings& settings, std::vector<NamedTensor> parameters);
    ~Optimizer();

    /// One update of all parameters from their gradients.
    void step(double learning_rate);

    /// Number of updates since the beginning or the last reset. Together with the tensors this is the whole state.
    std::int64_t num_steps() const { return num_steps_; }

    /// The state's tensors, parameter by parameter, always in the same order. None before the first step.
    std::vector<StateTensor> state() const;

    /// Makes the state that `num_steps` updates leave, with zeros in its tensors, which the caller fills in. reset(0)
    /// forgets everything.
    void reset(std::int64_t num_steps = 0);

  private:
    const OptimizerKind kind_;
    const bool has_state_;
    std::vector<NamedTensor> parameters_;
    std::unique_ptr<torch::optim::Optimizer> optimizer_;
    std::int64_t num_steps_ = 0;
};

}  // namespace crescendo::trainer
