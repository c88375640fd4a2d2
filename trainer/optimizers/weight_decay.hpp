#pragma once

#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// Which parameters weight decay pulls to zero.
enum class WeightDecayOf {
    all,
    weights,  ///< those of two dimensions or more: no bias, no scale or shift of a normalization
};

/// Reads the setting `weight_decay_of`.
inline void read_weight_decay_of(Section& section, WeightDecayOf& decays) {
    section.choice("weight_decay_of", decays,
                   Words{{std::pair{WeightDecayOf::all, "all"}, {WeightDecayOf::weights, "weights"}}});
}

}  // namespace crescendo::trainer
