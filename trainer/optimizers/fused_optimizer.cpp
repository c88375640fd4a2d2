#include "trainer/optimizers/fused_optimizer.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <utility>

namespace crescendo::trainer {

namespace {

/// The gradient in the parameter's memory order, because the kernels pair numbers by their place in memory.
at::Tensor in_order_of(const at::Tensor& parameter, const at::Tensor& gradient) {
    return gradient.strides() == parameter.strides() ? gradient : at::empty_like(parameter).copy_(gradient);
}

}  // namespace

FusedOptimizer::FusedOptimizer(const std::vector<NamedTensor>& parameters, std::vector<std::string> state_names,
                               const WeightDecay& decay, Kernel kernel)
    : Optimizer(parameters), state_names_(std::move(state_names)), kernel_(std::move(kernel)) {
    for (const auto& [name, tensor] : parameters) {
        groups_[{tensor.scalar_type(), decay.of(tensor)}].push_back(tensor);
    }
}

bool FusedOptimizer::can_update(const std::vector<NamedTensor>& parameters) {
    return std::ranges::all_of(parameters, [](const NamedTensor& each) {
        const auto& tensor = each.tensor;
        const auto type = tensor.scalar_type();
        const bool known_type = type == at::kFloat || type == at::kDouble || type == at::kHalf || type == at::kBFloat16;
        return known_type && (tensor.is_cpu() || tensor.is_cuda()) && tensor.is_non_overlapping_and_dense();
    });
}

void FusedOptimizer::update(double learning_rate) {
    const at::NoGradGuard no_gradients;
    for (const auto& [kind, parameters] : groups_) {
        FusedTensors tensors;
        tensors.state.resize(state_names_.size());
        for (const auto& parameter : parameters) {
            const State& state = ensured_state(parameter);
            if (!parameter.grad().defined()) {
                continue;
            }
            tensors.parameters.push_back(parameter);
            tensors.gradients.push_back(in_order_of(parameter, parameter.grad()));
            for (std::size_t i = 0; i < state.size(); ++i) {
                tensors.state[i].push_back(state[i]);
            }
        }
        if (!tensors.parameters.empty()) {
            kernel_(tensors, {learning_rate, /*weight_decay=*/kind.second, num_steps() + 1});
        }
    }
}

/// Makes the state tensors, as zeros, at the first update.
FusedOptimizer::State& FusedOptimizer::ensured_state(const at::Tensor& parameter) {
    auto& state = state_[parameter.unsafeGetTensorImpl()];
    while (state.size() < state_names_.size()) {
        state.push_back(at::zeros_like(parameter));
    }
    return state;
}

std::vector<NamedTensor> FusedOptimizer::state_of(const at::Tensor& parameter) const {
    const State& state = state_.at(parameter.unsafeGetTensorImpl());
    std::vector<NamedTensor> all;
    for (std::size_t i = 0; i < state.size(); ++i) {
        all.push_back({state_names_[i], state[i]});
    }
    return all;
}

void FusedOptimizer::make_state(const at::Tensor& parameter, std::int64_t) { ensured_state(parameter); }

}  // namespace crescendo::trainer
