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

/// SGD, Adam or AdamW of torch::optim, with its state in the open.
class Optimizer {
  public:
    /// Of the parameter it belongs to: "momentum_buffer"; or "exp_avg" and "exp_avg_sq".
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

    /// Updates since the beginning or the last reset: with the tensors this is the whole state.
    std::int64_t num_steps() const { return num_steps_; }

    /// Parameter by parameter, always in the same order; none before the first step.
    std::vector<StateTensor> state() const;

    /// The state after `num_steps` updates, with zeros in its tensors, to be filled in. reset(0) forgets everything.
    void reset(std::int64_t num_steps = 0);

  private:
    const OptimizerKind kind_;
    const bool has_state_;
    std::vector<NamedTensor> parameters_;
    std::unique_ptr<torch::optim::Optimizer> optimizer_;
    std::int64_t num_steps_ = 0;
};

}  // namespace crescendo::trainer
