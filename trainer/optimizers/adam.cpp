#include "trainer/optimizers/adam.hpp"

#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>

#include <limits>

#include "trainer/optimizers/torch_optimizer.hpp"

namespace crescendo::trainer {

namespace {

/// Adam and AdamW, which differ in what weight decay does.
template <class Rule, class Options, class State>
class AdamSpec : public OptimizerSpec {
  public:
    AdamSpec(Section& section, double default_weight_decay) : weight_decay_(default_weight_decay) {
        section.number("weight_decay", weight_decay_, {.min = 0.0, .below = std::numeric_limits<double>::infinity()});
        read_weight_decay_of(section, decays_);
    }

    double default_lr() const override { return 0.001; }
    LearningRateScaling default_lr_scaling() const override { return LearningRateScaling::sqrt; }

    std::unique_ptr<Optimizer> make(const std::vector<NamedTensor>& parameters) const override {
        const std::vector<StateField<State>> fields{
            {"exp_avg", [](State& state) -> at::Tensor& { return state.exp_avg(); }},
            {"exp_avg_sq", [](State& state) -> at::Tensor& { return state.exp_avg_sq(); }}};
        const auto options = Options(default_lr()).weight_decay(weight_decay_);
        return std::make_unique<TorchOptimizer<Rule, State>>(parameters, options, decays_, fields);
    }

  private:
    double weight_decay_;
    WeightDecayOf decays_ = WeightDecayOf::all;
};

}  // namespace

std::shared_ptr<OptimizerSpec> read_adam(Section& section) {
    using namespace torch::optim;
    return std::make_shared<AdamSpec<Adam, AdamOptions, AdamParamState>>(section, /*default_weight_decay=*/0.0);
}

std::shared_ptr<OptimizerSpec> read_adamw(Section& section) {
    using namespace torch::optim;
    return std::make_shared<AdamSpec<AdamW, AdamWOptions, AdamWParamState>>(section, /*default_weight_decay=*/0.01);
}

}  // namespace crescendo::trainer
