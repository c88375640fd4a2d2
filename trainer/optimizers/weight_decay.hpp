#pragma once

#include <ATen/core/Tensor.h>

#include <limits>

#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// Weight decay, and which parameters it pulls to zero.
struct WeightDecay {
    enum class Of {
        all,
        weights,  ///< those of two dimensions or more: no bias, no scale or shift of a normalization
    };

    double rate = 0.0;
    Of parameters = Of::all;

    /// 0 for a parameter that it leaves alone.
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
