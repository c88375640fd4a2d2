#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "trainer/optimizers/optimizer.hpp"
#include "trainer/settings/optimizer_spec.hpp"

namespace crescendo::trainer {

/// The parameters of a trial, in groups whose learning rates differ by a factor, such as a backbone and a head. Each
/// group has its own optimizer; all groups are updated together.
class ParameterGroups {
  public:
    /// `factors` has names of parameters, or of modules for all parameters in them. The longest matching name counts.
    /// "*" matches all other parameters; without it their factor is 1. Parameters with the factor 0 are frozen: they no
    /// longer require gradients, and no optimizer updates them. Parameters that already require no gradient stay
    /// frozen, whatever their factor.
    ///
    /// Throws InvalidInput if a name matches no parameter, or if all parameters are frozen.
    ParameterGroups(const OptimizerSpec& spec, const std::vector<NamedTensor>& parameters,
                    const std::map<std::string, double>& factors);
    /// Declared noexcept, which the implicit one is not, because vectors of trials would otherwise try to copy them.
    ParameterGroups(ParameterGroups&& other) noexcept = default;

    /// The parameters that are not frozen, in their original order.
    const std::vector<at::Tensor>& learning() const { return learning_; }

    /// Updates the learning() parameters once, from their gradients.
    void step(double learning_rate);

    /// num_steps(), state() and reset() are like those of Optimizer, over all groups.
    std::int64_t num_steps() const { return groups_.front().optimizer->num_steps(); }
    std::vector<Optimizer::StateTensor> state() const;
    void reset(std::int64_t num_steps = 0);

    /// The weights that evaluations use, of all parameters in their order, including frozen ones; empty if they use the
    /// parameters themselves.
    std::vector<at::Tensor> evaluation_weights() const;

  private:
    struct Group {
        double factor;
        std::vector<std::size_t> places;  ///< indices of its parameters in `parameters_`
        std::unique_ptr<Optimizer> optimizer;
    };

    std::vector<NamedTensor> parameters_;
    std::vector<at::Tensor> learning_;
    std::vector<Group> groups_;
};

}  // namespace crescendo::trainer
