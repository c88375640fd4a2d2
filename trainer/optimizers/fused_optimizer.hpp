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

/// What one call of a fused kernel takes: tensors of the same parameters, in the same order.
struct FusedTensors {
    std::vector<at::Tensor> parameters;
    std::vector<at::Tensor> gradients;
    std::vector<std::vector<at::Tensor>> state;  ///< for each name of a state tensor, those of the parameters
};

/// The numbers of an update. `step` counts from 1.
struct FusedStep {
    double learning_rate = 0.0;
    double weight_decay = 0.0;
    std::int64_t step = 1;
};

/// An optimizer whose update is one kernel of LibTorch for many parameters (at::_fused_sgd_ and the like). It reads and
/// writes each number once, and on a GPU is one launch or a few. torch::optim does both for each parameter and each
/// operation of the formula.
class FusedOptimizer : public Optimizer {
  public:
    /// Updates the tensors in place, state and parameters. State begins as zeros.
    using Kernel = std::function<void(FusedTensors& tensors, const FusedStep& step)>;

    /// The state's tensors are named `state_names`. Takes parameters for which can_update() holds.
    FusedOptimizer(const std::vector<NamedTensor>& parameters, std::vector<std::string> state_names,
                   const WeightDecay& decay, Kernel kernel);

    /// Whether the kernels can update all of these: numbers in memory without gaps, on a CPU or one of NVIDIA's
    /// GPUs. Else use a TorchOptimizer.
    static bool can_update(const std::vector<NamedTensor>& parameters);

  private:
    using State = std::vector<at::Tensor>;  ///< in the order of the names

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
