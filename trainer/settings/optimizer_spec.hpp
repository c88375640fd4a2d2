#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

class Optimizer;
struct NamedTensor;

/// An optimizer as the settings describe it, before its parameters exist.
struct OptimizerSpec {
    double default_lr;
    LearningRateScaling default_lr_scaling;
    /// Makes the optimizer with its settings. It shares the parameters' memory.
    std::function<std::unique_ptr<Optimizer>(const std::vector<NamedTensor>& parameters)> make;
    std::string name = {};  ///< the word that chose it
};

}  // namespace crescendo::trainer
