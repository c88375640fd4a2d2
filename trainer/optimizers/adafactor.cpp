#include "trainer/optimizers/optimizers.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trainer/optimizers/per_parameter.hpp"

namespace crescendo::trainer {

namespace {

constexpr double beta2_decay = -0.8;
constexpr double least_scale = 1e-3;   ///< lower limit of the weights' size, to which the step is proportional
constexpr double longest_update = 1.0; ///< limit of an update's root mean square, before the learning rate
constexpr double least_root = std::numeric_limits<float>::epsilon();

at::Tensor mean_square(const at::Tensor& values, std::int64_t axis) {
    return values.square().mean(axis, /*keepdim=*/true);
}

at::Tensor root_mean_square(const at::Tensor& values) {
    return values.norm() / std::sqrt(static_cast<double>(values.numel()));
}

class Adafactor : public PerParameterOptimizer {
  public:
    using PerParameterOptimizer::PerParameterOptimizer;

  private:
    std::vector<NamedTensor> first_state(const at::Tensor& weights) const override {
        if (weights.dim() < 2) {
            return {{"variance", at::zeros_like(weights)}};
        }
        auto rows = weights.sizes().vec();
        auto columns = rows;
        rows[rows.size() - 1] = 1;
        columns[columns.size() - 2] = 1;
        return {{"row_var", at::zeros(rows, weights.options())}, {"col_var", at::zeros(columns, weights.options())}};
    }

    void change(const Parameter& parameter, const Step& step) override {
        const auto& [weights, gradient, decay, state] = parameter;
        const auto number = static_cast<double>(step.number);
        const double rate = std::min(step.learning_rate, 1 / std::sqrt(number));
        const at::Tensor length = root_mean_square(weights).clamp_min_(least_scale).mul_(rate);
        if (decay > 0) {
            weights.mul_(1 - step.learning_rate * decay);
        }
        at::Tensor way = variance(gradient, state, std::pow(number, beta2_decay));
        way.clamp_min_(least_root * least_root).rsqrt_().mul_(gradient);
        weights.sub_(way * (length / (root_mean_square(way) / longest_update).clamp_min_(1.0)));
    }

    /// Adds the gradient to the state with this weight, and returns the estimate of its squares, which does not share
    /// memory with the state.
    static at::Tensor variance(const at::Tensor& gradient, const std::vector<NamedTensor>& state, double weight) {
        if (gradient.dim() < 2) {
            at::Tensor all = state[0].tensor;
            return all.lerp_(gradient.square(), weight).clone();
        }
        at::Tensor rows = state[0].tensor;
        at::Tensor columns = state[1].tensor;
        rows.lerp_(mean_square(gradient, -1), weight);
        columns.lerp_(mean_square(gradient, -2), weight);
        return at::matmul(rows, columns).div_(rows.mean(-2, /*keepdim=*/true).clamp_min_(least_root));
    }
};

}  // namespace

std::shared_ptr<OptimizerSpec> read_adafactor(Section& section) {
    return spec_of<Adafactor>(/*default_lr=*/0.01, LearningRateScaling::sqrt, read_weight_decay(section));
}

}  // namespace crescendo::trainer
