#pragma once

#include <utility>

#include "core/words.hpp"

namespace crescendo::datasets {

/// What happens to a virtual data set if some of its sources are missing.
enum class MissingSources {
    error,  ///< the data set is refused
    fill,   ///< the samples of missing sources are the fill value
};
inline constexpr Words missing_sources_words{
    {std::pair{MissingSources::error, "error"}, {MissingSources::fill, "fill"}}};

}  // namespace crescendo::datasets
