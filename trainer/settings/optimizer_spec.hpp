#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

class Optimizer;
struct NamedTensor;

/// An optimizer as the settings describe it, before there are parameters. Each optimizer derives its own, with its own
/// settings.
class OptimizerSpec {
  public:
    virtual ~OptimizerSpec() = default;

    virtual double default_lr() const = 0;
    virtual LearningRateScaling default_lr_scaling() const = 0;

    /// Makes the optimizer, which shares the parameters' memory.
    virtual std::unique_ptr<Optimizer> make(const std::vector<NamedTensor>& parameters) const = 0;

    std::string name;  ///< the word that chose it
};

}  // namespace crescendo::trainer
