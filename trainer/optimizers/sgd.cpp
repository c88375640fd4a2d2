#include "trainer/optimizers/sgd.hpp"

#include <torch/optim/sgd.h>

#include "trainer/optimizers/fused_optimizer.hpp"
#include "trainer/optimizers/torch_optimizer.hpp"

namespace crescendo::trainer {

using torch::optim::SGD;
using torch::optim::SGDOptions;
using torch::optim::SGDParamState;

namespace {

class SgdSpec : public OptimizerSpec {
  public:
    explicit SgdSpec(Section& section) {
        section.number("momentum", momentum_, {.min = 0.0, .below = 1.0});
        section.flag("nesterov", nesterov_);
        read_weight_decay(section, weight_decay_, decays_);
    }

    double default_lr() const override { return 0.01; }
    LearningRateScaling default_lr_scaling() const override { return LearningRateScaling::linear; }

    std::unique_ptr<Optimizer> make(const std::vector<NamedTensor>& parameters) const override {
        if (FusedOptimizer::can_update(parameters)) {
            return make_fused(parameters);
        }
        std::vector<StateField<SGDParamState>> fields;
        if (momentum_ > 0) {
            fields = {{"momentum_buffer", [](SGDParamState& state) -> at::Tensor& { return state.momentum_buffer(); }}};
        }
        // torch refuses Nesterov without momentum, which is plain SGD and may come up in a search.
        const auto options = SGDOptions(default_lr())
                                 .momentum(momentum_)
                                 .nesterov(nesterov_ && momentum_ > 0)
                                 .weight_decay(weight_decay_);
        return std::make_unique<TorchOptimizer<SGD, SGDParamState>>(parameters, options, decays_, fields);
    }

  private:
    /// A momentum that begins at zero is the gradient after the first step, as torch::optim has it.
    std::unique_ptr<Optimizer> make_fused(const std::vector<NamedTensor>& parameters) const {
        const auto kernel = [momentum = momentum_, nesterov = nesterov_ && momentum_ > 0](FusedTensors& tensors,
                                                                                          const FusedStep& step) {
            at::_fused_sgd_(tensors.parameters, tensors.gradients,
                            tensors.state.empty() ? at::TensorList() : at::TensorList(tensors.state[0]),
                            step.weight_decay, momentum, step.learning_rate, /*dampening=*/0.0, nesterov,
                            /*maximize=*/false, /*is_first_step=*/false);
        };
        std::vector<std::string> state;
        if (momentum_ > 0) {
            state.emplace_back("momentum_buffer");
        }
        return std::make_unique<FusedOptimizer>(parameters, state, weight_decay_, decays_, kernel);
    }

    double momentum_ = 0.9;
    bool nesterov_ = false;
    double weight_decay_ = 0.0;
    WeightDecayOf decays_ = WeightDecayOf::all;
};

}  // namespace

std::shared_ptr<OptimizerSpec> read_sgd(Section& section) { return std::make_shared<SgdSpec>(section); }

}  // namespace crescendo::trainer
