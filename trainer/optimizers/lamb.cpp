#include "trainer/optimizers/lamb.hpp"

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
    Lamb(const std::vector<NamedTensor>& parameters, double weight_decay, WeightDecayOf decays)
        : PerParameterOptimizer(parameters, decays), weight_decay_(weight_decay) {}

  private:
    std::vector<NamedTensor> first_state(const at::Tensor& weights) const override {
        return {{"exp_avg", at::zeros_like(weights)}, {"exp_avg_sq", at::zeros_like(weights)}};
    }

    void change(const Parameter& parameter, const Step& step) override {
        const auto& [weights, gradient, decays, state] = parameter;
        at::Tensor mean = state[0].tensor;
        at::Tensor square = state[1].tensor;
        mean.lerp_(gradient, 1 - lamb_beta1);
        square.mul_(lamb_beta2).addcmul_(gradient, gradient, 1 - lamb_beta2);
        const auto number = static_cast<double>(step.number);
        at::Tensor root = square.div(1 - std::pow(lamb_beta2, number)).sqrt_().add_(lamb_epsilon);
        at::Tensor way = mean.div(1 - std::pow(lamb_beta1, number)).div_(root);
        if (decays && weight_decay_ > 0) {
            way.add_(weights, weight_decay_);
        }
        if (weights.dim() > 1) {
            way.mul_(trust_ratio(weights.norm(), way.norm()));
        }
        weights.sub_(way, step.learning_rate);
    }

    double weight_decay_;
};

class LambSpec : public OptimizerSpec {
  public:
    explicit LambSpec(Section& section) { read_weight_decay(section, weight_decay_, decays_); }

    double default_lr() const override { return 0.001; }
    LearningRateScaling default_lr_scaling() const override { return LearningRateScaling::sqrt; }

    std::unique_ptr<Optimizer> make(const std::vector<NamedTensor>& parameters) const override {
        return std::make_unique<Lamb>(parameters, weight_decay_, decays_);
    }

  private:
    double weight_decay_ = 0.01;
    WeightDecayOf decays_ = WeightDecayOf::all;
};

}  // namespace

std::shared_ptr<OptimizerSpec> read_lamb(Section& section) { return std::make_shared<LambSpec>(section); }

}  // namespace crescendo::trainer
