#include "trainer/optimizers/lars.hpp"

#include <ATen/ATen.h>

#include <limits>

#include "trainer/optimizers/per_parameter.hpp"

namespace crescendo::trainer {

namespace {

struct LarsSettings {
    double momentum = 0.9;
    double trust = 0.001;  ///< the longest step of a layer, as a share of its weights, at a learning rate of 1
    double weight_decay = 0.0;
    WeightDecayOf decays = WeightDecayOf::all;
};

class Lars : public PerParameterOptimizer {
  public:
    Lars(const std::vector<NamedTensor>& parameters, const LarsSettings& settings)
        : PerParameterOptimizer(parameters, settings.decays), settings_(settings) {}

  private:
    std::vector<NamedTensor> first_state(const at::Tensor& weights) const override {
        return {{"momentum_buffer", at::zeros_like(weights)}};
    }

    void change(const Parameter& parameter, const Step& step) override {
        const auto& [weights, gradient, decays, state] = parameter;
        const double decay = decays ? settings_.weight_decay : 0.0;
        at::Tensor way = gradient.add(weights, decay).mul_(step.learning_rate);
        if (weights.dim() > 1) {
            const at::Tensor length = weights.norm();
            way.mul_(trust_ratio(length * settings_.trust, gradient.norm().add_(length, decay)));
        }
        at::Tensor velocity = state[0].tensor;
        velocity.mul_(settings_.momentum).add_(way);
        weights.sub_(velocity);
    }

    LarsSettings settings_;
};

class LarsSpec : public OptimizerSpec {
  public:
    explicit LarsSpec(Section& section) {
        constexpr double unbounded = std::numeric_limits<double>::infinity();
        section.number("momentum", settings_.momentum, {.min = 0.0, .below = 1.0});
        section.number("lars_trust", settings_.trust, {.min = 1e-12, .below = unbounded});
        read_weight_decay(section, settings_.weight_decay, settings_.decays);
    }

    double default_lr() const override { return 1.0; }
    LearningRateScaling default_lr_scaling() const override { return LearningRateScaling::linear; }

    std::unique_ptr<Optimizer> make(const std::vector<NamedTensor>& parameters) const override {
        return std::make_unique<Lars>(parameters, settings_);
    }

  private:
    LarsSettings settings_;
};

}  // namespace

std::shared_ptr<OptimizerSpec> read_lars(Section& section) { return std::make_shared<LarsSpec>(section); }

}  // namespace crescendo::trainer
