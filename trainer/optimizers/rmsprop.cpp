#include "trainer/optimizers/optimizers.hpp"

#include <torch/optim/rmsprop.h>

#include "trainer/optimizers/torch_optimizer.hpp"

namespace crescendo::trainer {

using torch::optim::RMSprop;
using torch::optim::RMSpropOptions;
using State = torch::optim::RMSpropParamState;

std::shared_ptr<OptimizerSpec> read_rmsprop(Section& section) {
    constexpr double default_lr = 0.01;
    double momentum = 0.0;
    double rms_decay = 0.99;
    bool centered = false;
    section.number("momentum", momentum, {.min = 0.0, .below = 1.0});
    section.number("rms_decay", rms_decay, {.min = 0.0, .below = 1.0});
    section.flag("rms_centered", centered);
    const auto decay = read_weight_decay(section);
    std::vector<StateField<State>> fields{
        {"square_avg", [](State& state) -> at::Tensor& { return state.square_avg(); }}};
    if (momentum > 0) {
        fields.push_back({"momentum_buffer", [](State& state) -> at::Tensor& { return state.momentum_buffer(); }});
    }
    if (centered) {
        fields.push_back({"grad_avg", [](State& state) -> at::Tensor& { return state.grad_avg(); }});
    }
    const auto options = RMSpropOptions(default_lr).alpha(rms_decay).momentum(momentum).centered(centered);
    return std::make_shared<OptimizerSpec>(OptimizerSpec{
        .default_lr = default_lr, .default_lr_scaling = LearningRateScaling::sqrt, .make = [=](const auto& parameters) {
            return std::make_unique<TorchOptimizer<RMSprop, State>>(parameters, options, decay, fields);
        }});
}

}  // namespace crescendo::trainer
