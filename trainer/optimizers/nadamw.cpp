#include "trainer/optimizers/optimizers.hpp"

#include <ATen/ATen.h>

#include <cmath>

#include "trainer/optimizers/per_parameter.hpp"

namespace crescendo::trainer {

namespace {

constexpr double nadamw_beta1 = 0.9;
constexpr double nadamw_beta2 = 0.999;
constexpr double nadamw_epsilon = 1e-8;
constexpr double momentum_decay = 0.004;

/// The momentum of update `number`. It rises towards beta1.
double momentum(std::int64_t number) {
    return nadamw_beta1 * (1 - 0.5 * std::pow(0.96, static_cast<double>(number) * momentum_decay));
}

class NAdamW : public PerParameterOptimizer {
  public:
    using PerParameterOptimizer::PerParameterOptimizer;

  private:
    std::vector<NamedTensor> first_state(const at::Tensor& weights) const override {
        return {{"exp_avg", at::zeros_like(weights)}, {"exp_avg_sq", at::zeros_like(weights)}};
    }

    void change(const Parameter& parameter, const Step& step) override {
        const at::Tensor& gradient = parameter.gradient;
        at::Tensor mean = parameter.state[0].tensor;
        at::Tensor square = parameter.state[1].tensor;
        if (parameter.decay > 0) {
            parameter.weights.mul_(1 - step.learning_rate * parameter.decay);
        }
        mean.lerp_(gradient, 1 - nadamw_beta1);
        square.mul_(nadamw_beta2).addcmul_(gradient, gradient, 1 - nadamw_beta2);
        const double correction = 1 - std::pow(nadamw_beta2, static_cast<double>(step.number));
        const at::Tensor root = square.div(correction).sqrt_().add_(nadamw_epsilon);
        const double now = momentum(step.number);
        const double next = momentum(step.number + 1);
        const double product = product_until(step.number);
        parameter.weights.addcdiv_(gradient, root, -step.learning_rate * (1 - now) / (1 - product));
        parameter.weights.addcdiv_(mean, root, -step.learning_rate * next / (1 - product * next));
    }

    /// The product of the momenta of all updates up to this one. It depends only on the number of updates, so it is not
    /// part of the state.
    double product_until(std::int64_t number) {
        if (number < known_) {
            known_ = 0;
            product_ = 1.0;
        }
        while (known_ < number) {
            product_ *= momentum(++known_);
        }
        return product_;
    }

    std::int64_t known_ = 0;  ///< number of factors in `product_`
    double product_ = 1.0;
};

}  // namespace

std::shared_ptr<OptimizerSpec> read_nadamw(Section& section) {
    return spec_of<NAdamW>(/*default_lr=*/0.002, LearningRateScaling::sqrt,
                           read_weight_decay(section, /*default_rate=*/0.01));
}

}  // namespace crescendo::trainer
