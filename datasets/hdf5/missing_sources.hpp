#pragma once

#include <utility>

#include "core/words.hpp"

namespace crescendo::datasets {

/// What happens to a data set in several files if some of them are missing, or end too early.
enum class MissingSources {
    error,  ///< the data set is refused
    fill,   ///< what is missing is the fill value; numbered files count up to the first gap
};
inline constexpr Words missing_sources_words{
    {std::pair{MissingSources::error, "error"}, {MissingSources::fill, "fill"}}};

}  // namespace crescendo::datasets
