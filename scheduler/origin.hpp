#pragma once

#include <cstdint>
#include <utility>

#include "core/words.hpp"

namespace crescendo {

/// Who chose the configuration of a trial.
enum class Origin : std::uint8_t {
    random,    ///< a sampler, by chance or by a fixed pattern, without looking at results
    grid,      ///< the grid sampler
    model,     ///< a sampler that learned from results
    program,   ///< a sampler that is another program
    enqueued,  ///< the user, while the sweep was running
    initial,   ///< the user, in the sweep file
    warm,      ///< a sampler that so far had learned from results of earlier sweeps only
};

inline constexpr Words origins{{std::pair{Origin::random, "random"},
                                {Origin::grid, "grid"},
                                {Origin::model, "model"},
                                {Origin::program, "program"},
                                {Origin::enqueued, "enqueued"},
                                {Origin::initial, "initial"},
                                {Origin::warm, "warm"}}};

}  // namespace crescendo
