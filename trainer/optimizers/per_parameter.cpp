#include "trainer/optimizers/per_parameter.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace crescendo::trainer {

PerParameterOptimizer::PerParameterOptimizer(const std::vector<NamedTensor>& parameters, const WeightDecay& decay)
    : Optimizer(parameters) {
    for (const auto& [name, tensor] : parameters) {
        places_.emplace(tensor.unsafeGetTensorImpl(), all_.size());
        all_.push_back({.parameter = tensor, .decay = decay.of(tensor)});
    }
}

void PerParameterOptimizer::update(double learning_rate) {
    const at::NoGradGuard no_gradients;
    for (auto& each : all_) {
        const at::Tensor weights = each.parameter.detach();
        if (num_steps() == 0) {
            each.state = first_state(weights);
        }
        if (const at::Tensor& gradient = each.parameter.grad(); gradient.defined()) {
            change({weights, gradient, each.decay, each.state}, {learning_rate, /*number=*/num_steps() + 1});
        }
    }
}

std::vector<NamedTensor> PerParameterOptimizer::state_of(const at::Tensor& parameter) const {
    return all_[places_.at(parameter.unsafeGetTensorImpl())].state;
}

void PerParameterOptimizer::make_state(const at::Tensor& parameter, std::int64_t /*num_steps*/) {
    auto& state = all_[places_.at(parameter.unsafeGetTensorImpl())].state;
    state = first_state(parameter.detach());
    for (auto& each : state) {
        each.tensor.zero_();
    }
}

void PerParameterOptimizer::forget_state() {
    for (auto& each : all_) {
        each.state.clear();
    }
}

at::Tensor trust_ratio(const at::Tensor& numerator, const at::Tensor& denominator) {
    const at::Tensor usable = numerator.gt(0).logical_and(denominator.gt(0));
    return at::where(usable, numerator / denominator, at::ones_like(numerator));
}

}  // namespace crescendo::trainer
