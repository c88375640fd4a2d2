#pragma once

#include <ATen/ATen.h>
#include <torch/optim/optimizer.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "trainer/optimizers/optimizer.hpp"
#include "trainer/optimizers/weight_decay.hpp"

namespace crescendo::trainer {

/// Access to one tensor of `State`, the state that an optimizer of torch::optim keeps per parameter.
template <class State>
struct StateField {
    const char* name;
    at::Tensor& (*of)(State& state);
};

/// Wraps `Rule`, an optimizer of torch::optim that keeps a `State` per parameter.
template <class Rule, class State>
class TorchOptimizer : public Optimizer {
  public:
    /// `fields` are all tensors of the state, in their order in checkpoints; empty if the optimizer keeps no state with
    /// these options.
    template <class Options>
    TorchOptimizer(const std::vector<NamedTensor>& parameters, const Options& options, const WeightDecay& decay,
                   std::vector<StateField<State>> fields)
        : Optimizer(parameters), fields_(std::move(fields)), rule_(groups(parameters, options, decay), options) {}

  private:
    using ParameterGroup = torch::optim::OptimizerParamGroup;

    /// Groups the parameters by their weight decay.
    template <class Options>
    static std::vector<ParameterGroup> groups(const std::vector<NamedTensor>& named, const Options& options,
                                              const WeightDecay& decay) {
        std::map<double, std::vector<at::Tensor>> by_decay;
        for (const auto& [name, tensor] : named) {
            by_decay[decay.of(tensor)].push_back(tensor);
        }
        std::vector<ParameterGroup> all;
        for (const auto& [rate, tensors] : by_decay) {
            all.emplace_back(tensors, std::make_unique<Options>(Options(options).weight_decay(rate)));
        }
        return all;
    }

    void update(double learning_rate) override {
        for (auto& group : rule_.param_groups()) {
            group.options().set_lr(learning_rate);
        }
        rule_.step();
    }

    std::vector<NamedTensor> state_of(const at::Tensor& parameter) const override {
        std::vector<NamedTensor> all;
        if (fields_.empty()) {
            return all;
        }
        auto& state = static_cast<State&>(*rule_.state().at(parameter.unsafeGetTensorImpl()));
        for (const auto& field : fields_) {
            all.push_back({field.name, field.of(state)});
        }
        return all;
    }

    void make_state(const at::Tensor& parameter, std::int64_t num_steps) override {
        if (fields_.empty()) {
            return;
        }
        auto state = std::make_unique<State>();
        if constexpr (requires { state->step(num_steps); }) {
            state->step(num_steps);
        }
        for (const auto& field : fields_) {
            field.of(*state) = at::zeros_like(parameter);
        }
        rule_.state()[parameter.unsafeGetTensorImpl()] = std::move(state);
    }

    void forget_state() override { rule_.state().clear(); }

    const std::vector<StateField<State>> fields_;
    Rule rule_;
};

}  // namespace crescendo::trainer
