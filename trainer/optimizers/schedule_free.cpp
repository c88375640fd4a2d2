#include "trainer/optimizers/schedule_free.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>
#include <limits>

#include "trainer/optimizers/optimizers.hpp"
#include "trainer/optimizers/per_parameter.hpp"

namespace crescendo::trainer {

namespace {

constexpr double schedule_free_beta2 = 0.999;
constexpr double schedule_free_epsilon = 1e-8;

class ScheduleFree : public PerParameterOptimizer {
  public:
    ScheduleFree(const std::vector<NamedTensor>& parameters, const WeightDecay& decay, double beta)
        : PerParameterOptimizer(parameters, decay), beta_(beta) {}

    std::vector<at::Tensor> evaluation_weights() const override {
        const at::NoGradGuard no_gradients;
        std::vector<at::Tensor> all;
        for_each([&](const at::Tensor& weights, const std::vector<NamedTensor>& state) {
            all.push_back(schedule_free_average(weights, state[z].tensor, beta_));
        });
        return all;
    }

  private:
    enum Place { z, exp_avg_sq, lr_max, weight_sum };

    /// The average weights each point by the square of the largest rate so far, so that a warm-up counts little.
    std::vector<NamedTensor> first_state(const at::Tensor& weights) const override {
        const auto number = weights.options().dtype(at::kDouble);
        return {{"z", weights.clone()},
                {"exp_avg_sq", at::zeros_like(weights)},
                {"lr_max", at::zeros({}, number)},
                {"weight_sum", at::zeros({}, number)}};
    }

    void change(const Parameter& parameter, const Step& step) override {
        const auto& [weights, gradient, decay, state] = parameter;
        const double correction = 1 - std::pow(schedule_free_beta2, static_cast<double>(step.number));
        at::Tensor square = state[exp_avg_sq].tensor;
        square.mul_(schedule_free_beta2).addcmul_(gradient, gradient, 1 - schedule_free_beta2);
        at::Tensor way = gradient / square.div(correction).sqrt_().add_(schedule_free_epsilon);
        if (decay > 0) {
            way.add_(weights, decay);
        }

        at::Tensor largest = state[lr_max].tensor;
        at::Tensor sum = state[weight_sum].tensor;
        const at::Tensor weight = largest.clamp_min_(step.learning_rate).square();
        sum.add_(weight);
        const at::Tensor share = (weight / sum.clamp_min(std::numeric_limits<double>::min())).to(weights.dtype());

        at::Tensor point = state[z].tensor;
        weights.lerp_(point, share);
        weights.add_(way * ((1 - share) * beta_ - 1), step.learning_rate);
        point.sub_(way, step.learning_rate);
    }

    double beta_;
};

}  // namespace

std::shared_ptr<OptimizerSpec> read_schedule_free(Section& section) {
    double beta = default_schedule_free_beta;
    section.number("schedule_free_beta", beta, {.min = 0.1, .below = 1.0});
    return spec_of<ScheduleFree>(/*default_lr=*/0.0025, LearningRateScaling::sqrt, read_weight_decay(section), beta);
}

at::Tensor schedule_free_average(const at::Tensor& y, const at::Tensor& z, double beta) {
    return y.lerp(z, 1 - 1 / beta);
}

}  // namespace crescendo::trainer
