#include "trainer/optimizers/optimizers.hpp"

#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>

#include <string>
#include <type_traits>

#include "trainer/optimizers/fused_optimizer.hpp"
#include "trainer/optimizers/torch_optimizer.hpp"

namespace crescendo::trainer {

namespace {

/// Updates with torch's defaults for epsilon and the decays of the moments.
template <class Rule>
void update_fused(FusedTensors& tensors, const FusedStep& step) {
    const auto& first = tensors.parameters.front();
    const at::Tensor count = at::full({}, static_cast<double>(step.step), first.options().dtype(at::kFloat));
    const std::vector<at::Tensor> counts(tensors.parameters.size(), count);
    constexpr double beta1 = 0.9;
    constexpr double beta2 = 0.999;
    constexpr double epsilon = 1e-8;
    const auto update =
        std::is_same_v<Rule, torch::optim::AdamW> ? at::_ops::_fused_adamw_::call : at::_ops::_fused_adam_::call;
    update(tensors.parameters, tensors.gradients, tensors.state[0], tensors.state[1], /*max_exp_avg_sqs=*/{}, counts,
           step.learning_rate, beta1, beta2, step.weight_decay, epsilon, /*amsgrad=*/false, /*maximize=*/false,
           /*grad_scale=*/{}, /*found_inf=*/{});
}

/// Reads Adam or AdamW, which differ only in weight decay.
template <class Rule, class Options, class State>
std::shared_ptr<OptimizerSpec> read_rule(Section& section, double default_weight_decay) {
    constexpr double default_lr = 0.001;
    const auto decay = read_weight_decay(section, default_weight_decay);
    const auto make = [decay](const std::vector<NamedTensor>& parameters) -> std::unique_ptr<Optimizer> {
        if (FusedOptimizer::can_update(parameters)) {
            return std::make_unique<FusedOptimizer>(parameters, std::vector<std::string>{"exp_avg", "exp_avg_sq"},
                                                    decay, update_fused<Rule>);
        }
        const std::vector<StateField<State>> fields{
            {"exp_avg", [](State& state) -> at::Tensor& { return state.exp_avg(); }},
            {"exp_avg_sq", [](State& state) -> at::Tensor& { return state.exp_avg_sq(); }}};
        return std::make_unique<TorchOptimizer<Rule, State>>(parameters, Options(default_lr), decay, fields);
    };
    return std::make_shared<OptimizerSpec>(
        OptimizerSpec{.default_lr = default_lr, .default_lr_scaling = LearningRateScaling::sqrt, .make = make});
}

}  // namespace

std::shared_ptr<OptimizerSpec> read_adam(Section& section) {
    using namespace torch::optim;
    return read_rule<Adam, AdamOptions, AdamParamState>(section, /*default_weight_decay=*/0.0);
}

std::shared_ptr<OptimizerSpec> read_adamw(Section& section) {
    using namespace torch::optim;
    return read_rule<AdamW, AdamWOptions, AdamWParamState>(section, /*default_weight_decay=*/0.01);
}

}  // namespace crescendo::trainer
