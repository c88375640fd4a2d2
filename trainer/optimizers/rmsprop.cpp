#include "trainer/optimizers/rmsprop.hpp"

#include <torch/optim/rmsprop.h>

#include "trainer/optimizers/torch_optimizer.hpp"

namespace crescendo::trainer {

using torch::optim::RMSprop;
using torch::optim::RMSpropOptions;
using State = torch::optim::RMSpropParamState;

namespace {

class RmspropSpec : public OptimizerSpec {
  public:
    explicit RmspropSpec(Section& section) {
        section.number("momentum", momentum_, {.min = 0.0, .below = 1.0});
        section.number("rms_decay", decay_, {.min = 0.0, .below = 1.0});
        section.flag("rms_centered", centered_);
        read_weight_decay(section, weight_decay_, decays_);
    }

    double default_lr() const override { return 0.01; }
    LearningRateScaling default_lr_scaling() const override { return LearningRateScaling::sqrt; }

    std::unique_ptr<Optimizer> make(const std::vector<NamedTensor>& parameters) const override {
        std::vector<StateField<State>> fields{
            {"square_avg", [](State& state) -> at::Tensor& { return state.square_avg(); }}};
        if (momentum_ > 0) {
            fields.push_back(
                {"momentum_buffer", [](State& state) -> at::Tensor& { return state.momentum_buffer(); }});
        }
        if (centered_) {
            fields.push_back({"grad_avg", [](State& state) -> at::Tensor& { return state.grad_avg(); }});
        }
        const auto options = RMSpropOptions(default_lr())
                                 .alpha(decay_)
                                 .momentum(momentum_)
                                 .centered(centered_)
                                 .weight_decay(weight_decay_);
        return std::make_unique<TorchOptimizer<RMSprop, State>>(parameters, options, decays_, fields);
    }

  private:
    double momentum_ = 0.0;
    double decay_ = 0.99;
    bool centered_ = false;
    double weight_decay_ = 0.0;
    WeightDecayOf decays_ = WeightDecayOf::all;
};

}  // namespace

std::shared_ptr<OptimizerSpec> read_rmsprop(Section& section) { return std::make_shared<RmspropSpec>(section); }

}  // namespace crescendo::trainer
