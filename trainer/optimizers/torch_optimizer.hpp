#pragma once

#include <ATen/ATen.h>
#include <torch/optim/optimizer.h>

#include <memory>
#include <vector>

#include "trainer/optimizers/optimizer.hpp"

namespace crescendo::trainer {

/// A tensor of `State`, the state that an optimizer of torch::optim keeps for a parameter.
template <class State>
struct StateField {
    const char* name;
    at::Tensor& (*of)(State& state);
};

/// An optimizer of torch::optim, `Rule`, which keeps a `State` for each parameter.
template <class Rule, class State>
class TorchOptimizer : public Optimizer {
  public:
    /// `fields` are all tensors of the state, in the order of checkpoints; none, if these options keep no state.
    template <class Options>
    TorchOptimizer(const std::vector<NamedTensor>& parameters, const Options& options,
                   std::vector<StateField<State>> fields)
        : Optimizer(parameters), fields_(std::move(fields)), rule_(tensors(parameters), options) {}

  private:
    static std::vector<at::Tensor> tensors(const std::vector<NamedTensor>& named) {
        std::vector<at::Tensor> all;
        for (const auto& each : named) {
            all.push_back(each.tensor);
        }
        return all;
    }

    void update(double learning_rate) override {
        rule_.param_groups().front().options().set_lr(learning_rate);
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
