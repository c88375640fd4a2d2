#pragma once

#include <utility>

#include "core/words.hpp"

namespace crescendo::datasets {

/// How to treat a data set that spans several files if some are missing or end too early.
enum class MissingSources {
    error,  ///< refuse the data set
    fill,   ///< missing elements get the fill value; numbered files count up to the first gap
};
inline constexpr Words missing_sources_words{
    {std::pair{MissingSources::error, "error"}, {MissingSources::fill, "fill"}}};

}  // namespace crescendo::datasets
