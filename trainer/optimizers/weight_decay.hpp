#pragma once

#include <limits>

#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// Which parameters weight decay pulls to zero.
enum class WeightDecayOf {
    all,
    weights,  ///< those of two dimensions or more: no bias, no scale or shift of a normalization
};

/// Reads the settings `weight_decay` and `weight_decay_of`.
inline void read_weight_decay(Section& section, double& decay, WeightDecayOf& decays) {
    section.number("weight_decay", decay, {.min = 0.0, .below = std::numeric_limits<double>::infinity()});
    section.choice("weight_decay_of", decays,
                   Words{{std::pair{WeightDecayOf::all, "all"}, {WeightDecayOf::weights, "weights"}}});
}

}  // namespace crescendo::trainer
