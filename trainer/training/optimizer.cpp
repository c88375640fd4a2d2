#include "trainer/training/optimizer.hpp"

#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

namespace crescendo::trainer {

using torch::optim::AdamParamState;
using torch::optim::AdamWParamState;
using torch::optim::OptimizerParamState;
using torch::optim::SGDParamState;

namespace {

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const Settings& settings, std::vector<at::Tensor> tensors) {
    switch (settings.optimizer) {
        case OptimizerKind::sgd:
            break;
        case OptimizerKind::adam:
            return std::make_unique<torch::optim::Adam>(
                std::move(tensors), torch::optim::AdamOptions(settings.lr).weight_decay(settings.weight_decay));
        case OptimizerKind::adamw:
            return std::make_unique<torch::optim::AdamW>(
                std::move(tensors), torch::optim::AdamWOptions(settings.lr).weight_decay(settings.weight_decay));
    }
    // torch refuses Nesterov without momentum, which is plain SGD and may come up in a search.
    return std::make_unique<torch::optim::SGD>(std::move(tensors),
                                               torch::optim::SGDOptions(settings.lr)
                                                   .momentum(settings.momentum)
                                                   .nesterov(settings.nesterov && settings.momentum > 0)
                                                   .weight_decay(settings.weight_decay));
}

template <class State>
std::unique_ptr<OptimizerParamState> zero_moments(const at::Tensor& parameter, std::int64_t num_steps) {
    auto state = std::make_unique<State>();
    state->step(num_steps);
    state->exp_avg(at::zeros_like(parameter));
    state->exp_avg_sq(at::zeros_like(parameter));
    return state;
}

std::unique_ptr<OptimizerParamState> zero_state(OptimizerKind kind, const at::Tensor& parameter,
                                                std::int64_t num_steps) {
    if (kind == OptimizerKind::adam) return zero_moments<AdamParamState>(parameter, num_steps);
    if (kind == OptimizerKind::adamw) return zero_moments<AdamWParamState>(parameter, num_steps);
    auto state = std::make_unique<SGDParamState>();
    state->momentum_buffer(at::zeros_like(parameter));
    return state;
}

template <class State>
std::vector<NamedTensor> moments(const OptimizerParamState& state) {
    const auto& of_parameter = static_cast<const State&>(state);
    return {{"exp_avg", of_parameter.exp_avg()}, {"exp_avg_sq", of_parameter.exp_avg_sq()}};
}

std::vector<NamedTensor> tensors_of(OptimizerKind kind, const OptimizerParamState& state) {
    if (kind == OptimizerKind::adam) return moments<AdamParamState>(state);
    if (kind == OptimizerKind::adamw) return moments<AdamWParamState>(state);
    return {{"momentum_buffer", static_cast<const SGDParamState&>(state).momentum_buffer()}};
}

std::vector<at::Tensor> tensors(const std::vector<NamedTensor>& named) {
    std::vector<at::Tensor> all;
    for (const auto& [name, tensor] : named) all.push_back(tensor);
    return all;
}

}  // namespace

Optimizer::Optimizer(const Settings& settings, std::vector<NamedTensor> parameters)
    : kind_(settings.optimizer),
      has_state_(settings.optimizer != OptimizerKind::sgd || settings.momentum > 0),
      parameters_(std::move(parameters)),
      optimizer_(make_optimizer(settings, tensors(parameters_))) {}

Optimizer::~Optimizer() = default;

void Optimizer::step(double learning_rate) {
    optimizer_->param_groups().front().options().set_lr(learning_rate);
    optimizer_->step();
    ++num_steps_;
}

std::vector<Optimizer::StateTensor> Optimizer::state() const {
    std::vector<StateTensor> all;
    if (!has_state_ || num_steps_ == 0) return all;
    for (const auto& [parameter, tensor] : parameters_) {
        const auto& state = *optimizer_->state().at(tensor.unsafeGetTensorImpl());
        for (auto& [name, value] : tensors_of(kind_, state)) all.push_back({parameter, name, value});
    }
    return all;
}

void Optimizer::reset(std::int64_t num_steps) {
    num_steps_ = num_steps;
    optimizer_->state().clear();
    if (!has_state_ || num_steps == 0) return;
    for (const auto& [name, tensor] : parameters_) {
        optimizer_->state()[tensor.unsafeGetTensorImpl()] = zero_state(kind_, tensor, num_steps);
    }
}

}  // namespace crescendo::trainer
