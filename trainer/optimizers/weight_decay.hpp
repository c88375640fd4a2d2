#pragma once

#include <ATen/core/Tensor.h>

#include <limits>

#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// Weight decay, and the parameters to which it applies.
struct WeightDecay {
    enum class Of {
        all,
        weights,  ///< those with two or more dimensions: no biases, no scales or shifts of norms
    };

    double rate = 0.0;
    Of parameters = Of::all;

    /// The decay rate of a parameter; 0 if weight decay does not apply to it.
    double of(const at::Tensor& parameter) const { return parameters == Of::all || parameter.dim() > 1 ? rate : 0.0; }
};

/// Reads the settings `weight_decay` and `weight_decay_of`.
inline WeightDecay read_weight_decay(Section& section, double default_rate = 0.0) {
    WeightDecay decay{.rate = default_rate};
    section.number("weight_decay", decay.rate, {.min = 0.0, .below = std::numeric_limits<double>::infinity()});
    section.choice("weight_decay_of", decay.parameters,
                   Words{{std::pair{WeightDecay::Of::all, "all"}, {WeightDecay::Of::weights, "weights"}}});
    return decay;
}

}  // namespace crescendo::trainer
