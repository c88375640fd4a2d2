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

/// The parameters of a trial in groups whose learning rates differ by a factor, such as a backbone and a head. Each
/// group has an optimizer of its own; all make their updates together.
class ParameterGroups {
  public:
    /// `factors` go by names of parameters, or of modules for all parameters in them. The longest name that fits
    /// counts, "*" stands for parameters that no other name fits, and without it these have the factor 1. Parameters of
    /// the factor 0 are frozen: they require no gradient from now on, and no optimizer knows them. Those that require
    /// none already stay frozen, whatever their factor.
    ///
    /// Throws InvalidInput if a name fits no parameter, or if all parameters are frozen.
    ParameterGroups(const OptimizerSpec& spec, const std::vector<NamedTensor>& parameters,
                    const std::map<std::string, double>& factors);
    /// Said, because it would not be noexcept by itself, and vectors of trials would try to copy them.
    ParameterGroups(ParameterGroups&& other) noexcept = default;

    /// The parameters that learn, in their order.
    const std::vector<at::Tensor>& learning() const { return learning_; }

    /// One update of these from their gradients.
    void step(double learning_rate);

    /// As those of Optimizer, over all groups.
    std::int64_t num_steps() const { return groups_.front().optimizer->num_steps(); }
    std::vector<Optimizer::StateTensor> state() const;
    void reset(std::int64_t num_steps = 0);

    /// The weights that evaluations take, of all parameters in their order, frozen ones too; none if these are the
    /// parameters themselves.
    std::vector<at::Tensor> evaluation_weights() const;

  private:
    struct Group {
        double factor;
        std::vector<std::size_t> places;  ///< of its parameters among all
        std::unique_ptr<Optimizer> optimizer;
    };

    std::vector<NamedTensor> parameters_;
    std::vector<at::Tensor> learning_;
    std::vector<Group> groups_;
};

}  // namespace crescendo::trainer
