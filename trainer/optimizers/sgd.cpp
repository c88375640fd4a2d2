#include "trainer/optimizers/optimizers.hpp"

#include <torch/optim/sgd.h>

#include "trainer/optimizers/fused_optimizer.hpp"
#include "trainer/optimizers/torch_optimizer.hpp"

namespace crescendo::trainer {

using torch::optim::SGD;
using torch::optim::SGDOptions;
using torch::optim::SGDParamState;

namespace {

/// The momentum begins at zero, so after the first step it is the gradient, as in torch::optim.
std::unique_ptr<Optimizer> make_sgd(const std::vector<NamedTensor>& parameters, const SGDOptions& options,
                                    const WeightDecay& decay) {
    const bool keeps_momentum = options.momentum() > 0;
    if (!FusedOptimizer::can_update(parameters)) {
        std::vector<StateField<SGDParamState>> fields;
        if (keeps_momentum) {
            fields = {{"momentum_buffer", [](SGDParamState& state) -> at::Tensor& { return state.momentum_buffer(); }}};
        }
        return std::make_unique<TorchOptimizer<SGD, SGDParamState>>(parameters, options, decay, fields);
    }
    const auto kernel = [options](FusedTensors& tensors, const FusedStep& step) {
        at::_fused_sgd_(tensors.parameters, tensors.gradients,
                        tensors.state.empty() ? at::TensorList() : at::TensorList(tensors.state[0]), step.weight_decay,
                        options.momentum(), step.learning_rate, /*dampening=*/0.0, options.nesterov(),
                        /*maximize=*/false, /*is_first_step=*/false);
    };
    const auto state = keeps_momentum ? std::vector<std::string>{"momentum_buffer"} : std::vector<std::string>();
    return std::make_unique<FusedOptimizer>(parameters, state, decay, kernel);
}

}  // namespace

std::shared_ptr<OptimizerSpec> read_sgd(Section& section) {
    constexpr double default_lr = 0.01;
    double momentum = 0.9;
    bool nesterov = false;
    section.number("momentum", momentum, {.min = 0.0, .below = 1.0});
    section.flag("nesterov", nesterov);
    const auto decay = read_weight_decay(section);
    // torch refuses Nesterov without momentum. A search may try that, and here it means plain SGD.
    const auto options = SGDOptions(default_lr).momentum(momentum).nesterov(nesterov && momentum > 0);
    return std::make_shared<OptimizerSpec>(
        OptimizerSpec{.default_lr = default_lr,
                      .default_lr_scaling = LearningRateScaling::linear,
                      .make = [=](const auto& parameters) { return make_sgd(parameters, options, decay); }});
}

}  // namespace crescendo::trainer
