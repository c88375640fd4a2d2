#include "trainer/optimizers/optimizers.hpp"

#include <ATen/ATen.h>

#include <limits>

#include "trainer/optimizers/per_parameter.hpp"

namespace crescendo::trainer {

namespace {

class Lars : public PerParameterOptimizer {
  public:
    /// `trust` is the maximum norm of a layer's step, as a share of the norm of its weights, at a learning rate of 1.
    Lars(const std::vector<NamedTensor>& parameters, const WeightDecay& decay, double momentum, double trust)
        : PerParameterOptimizer(parameters, decay), momentum_(momentum), trust_(trust) {}

  private:
    std::vector<NamedTensor> first_state(const at::Tensor& weights) const override {
        return {{"momentum_buffer", at::zeros_like(weights)}};
    }

    void change(const Parameter& parameter, const Step& step) override {
        const auto& [weights, gradient, decay, state] = parameter;
        at::Tensor way = gradient.add(weights, decay).mul_(step.learning_rate);
        if (weights.dim() > 1) {
            const at::Tensor length = weights.norm();
            way.mul_(trust_ratio(length * trust_, gradient.norm().add_(length, decay)));
        }
        at::Tensor velocity = state[0].tensor;
        velocity.mul_(momentum_).add_(way);
        weights.sub_(velocity);
    }

    double momentum_;
    double trust_;
};

}  // namespace

std::shared_ptr<OptimizerSpec> read_lars(Section& section) {
    double momentum = 0.9;
    double trust = 0.001;
    section.number("momentum", momentum, {.min = 0.0, .below = 1.0});
    section.number("lars_trust", trust, {.min = 1e-12, .below = std::numeric_limits<double>::infinity()});
    return spec_of<Lars>(/*default_lr=*/1.0, LearningRateScaling::linear, read_weight_decay(section), momentum, trust);
}

}  // namespace crescendo::trainer
