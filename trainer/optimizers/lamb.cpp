#include "trainer/optimizers/optimizers.hpp"

#include <ATen/ATen.h>

#include <cmath>

#include "trainer/optimizers/per_parameter.hpp"

namespace crescendo::trainer {

namespace {

constexpr double lamb_beta1 = 0.9;
constexpr double lamb_beta2 = 0.999;
constexpr double lamb_epsilon = 1e-6;

class Lamb : public PerParameterOptimizer {
  public:
    using PerParameterOptimizer::PerParameterOptimizer;

  private:
    std::vector<NamedTensor> first_state(const at::Tensor& weights) const override {
        return {{"exp_avg", at::zeros_like(weights)}, {"exp_avg_sq", at::zeros_like(weights)}};
    }

    void change(const Parameter& parameter, const Step& step) override {
        const auto& [weights, gradient, decay, state] = parameter;
        at::Tensor mean = state[0].tensor;
        at::Tensor square = state[1].tensor;
        mean.lerp_(gradient, 1 - lamb_beta1);
        square.mul_(lamb_beta2).addcmul_(gradient, gradient, 1 - lamb_beta2);
        const auto number = static_cast<double>(step.number);
        at::Tensor root = square.div(1 - std::pow(lamb_beta2, number)).sqrt_().add_(lamb_epsilon);
        at::Tensor way = mean.div(1 - std::pow(lamb_beta1, number)).div_(root);
        if (decay > 0) {
            way.add_(weights, decay);
        }
        if (weights.dim() > 1) {
            way.mul_(trust_ratio(weights.norm(), way.norm()));
        }
        weights.sub_(way, step.learning_rate);
    }
};

}  // namespace

std::shared_ptr<OptimizerSpec> read_lamb(Section& section) {
    return spec_of<Lamb>(/*default_lr=*/0.001, LearningRateScaling::sqrt,
                         read_weight_decay(section, /*default_rate=*/0.01));
}

}  // namespace crescendo::trainer
