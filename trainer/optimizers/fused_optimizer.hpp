#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trainer/optimizers/optimizer.hpp"
#include "trainer/optimizers/weight_decay.hpp"

namespace crescendo::trainer {

/// Arguments of one call of a fused kernel. All lists cover the same parameters, in the same order.
struct FusedTensors {
    std::vector<at::Tensor> parameters;
    std::vector<at::Tensor> gradients;
    std::vector<std::vector<at::Tensor>> state;  ///< per name of a state tensor, one tensor per parameter
};

/// The numbers of an update. `step` counts from 1.
struct FusedStep {
    double learning_rate = 0.0;
    double weight_decay = 0.0;
    std::int64_t step = 1;
};

/// An optimizer that updates many parameters with one kernel of LibTorch (at::_fused_sgd_ and the like). The kernel
/// reads and writes each number once, and takes only a few launches on a GPU. torch::optim reads, writes and launches
/// once per parameter and per operation of the formula.
class FusedOptimizer : public Optimizer {
  public:
    /// Updates parameters and state in place. The state is initially zero.
    using Kernel = std::function<void(FusedTensors& tensors, const FusedStep& step)>;

    /// `state_names` are the names of the state tensors. can_update(parameters) must be true.
    FusedOptimizer(const std::vector<NamedTensor>& parameters, std::vector<std::string> state_names,
                   const WeightDecay& decay, Kernel kernel);

    /// Whether the kernels can update all of these parameters: dense in memory, on a CPU or an NVIDIA GPU. Otherwise
    /// use a TorchOptimizer.
    static bool can_update(const std::vector<NamedTensor>& parameters);

  private:
    using State = std::vector<at::Tensor>;  ///< in the order of `state_names_`

    void update(double learning_rate) override;
    std::vector<NamedTensor> state_of(const at::Tensor& parameter) const override;
    void make_state(const at::Tensor& parameter, std::int64_t num_steps) override;
    void forget_state() override { state_.clear(); }
    State& ensured_state(const at::Tensor& parameter);

    const std::vector<std::string> state_names_;
    const Kernel kernel_;
    std::map<std::pair<at::ScalarType, double>, std::vector<at::Tensor>> groups_;  ///< by type and weight decay
    std::unordered_map<at::TensorImpl*, State> state_;
};

}  // namespace crescendo::trainer
