#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

#include "trainer/optimizers/optimizer.hpp"
#include "trainer/optimizers/weight_decay.hpp"
#include "trainer/settings/optimizer_spec.hpp"

namespace crescendo::trainer {

/// Base of optimizers with their own update rule, which updates one parameter at a time from the parameter's state
/// tensors.
///
/// A rule must not read a tensor's value on the host, so that it never waits for a GPU.
class PerParameterOptimizer : public Optimizer {
  public:
    PerParameterOptimizer(const std::vector<NamedTensor>& parameters, const WeightDecay& decay);

  protected:
    struct Step {
        double learning_rate;
        std::int64_t number;  ///< number of the update, from 1
    };

    struct Parameter {
        at::Tensor weights;  ///< may be changed in place
        const at::Tensor& gradient;
        double decay;                           ///< WeightDecay::of() the parameter
        const std::vector<NamedTensor>& state;  ///< in the order of first_state()
    };

    /// The state tensors of a parameter with these weights, as they are before the first update.
    virtual std::vector<NamedTensor> first_state(const at::Tensor& weights) const = 0;

    /// Updates the parameter and its state in place.
    virtual void change(const Parameter& parameter, const Step& step) = 0;

    /// Calls `use` with the weights and the state of each parameter. Does nothing before the first update.
    template <class Use>
    void for_each(const Use& use) const {
        for (const auto& each : all_) {
            if (!each.state.empty()) {
                use(each.parameter.detach(), each.state);
            }
        }
    }

  private:
    struct Kept {
        at::Tensor parameter;
        double decay;
        std::vector<NamedTensor> state = {};  ///< empty before the first update
    };

    void update(double learning_rate) final;
    std::vector<NamedTensor> state_of(const at::Tensor& parameter) const final;
    void make_state(const at::Tensor& parameter, std::int64_t num_steps) final;
    void forget_state() final;

    std::vector<Kept> all_;
    std::unordered_map<const void*, std::size_t> places_;  ///< index in all_, by parameter
};

/// Returns the spec of an optimizer `Rule`, which is constructed from the parameters and these `settings`, weight decay
/// first.
template <class Rule>
std::shared_ptr<OptimizerSpec> spec_of(double default_lr, LearningRateScaling default_lr_scaling,
                                       const auto&... settings) {
    return std::make_shared<OptimizerSpec>(OptimizerSpec{
        .default_lr = default_lr, .default_lr_scaling = default_lr_scaling, .make = [=](const auto& parameters) {
            return std::make_unique<Rule>(parameters, settings...);
        }});
}

/// The factor on a layer's step: numerator / denominator, or 1 if one of them is zero.
at::Tensor trust_ratio(const at::Tensor& numerator, const at::Tensor& denominator);

}  // namespace crescendo::trainer
