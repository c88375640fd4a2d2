#pragma once

namespace crescendo::datasets {

/// What happens to a virtual data set if some of its sources are missing.
enum class MissingSources {
    error,  ///< the data set is refused
    fill,   ///< the samples of missing sources are the fill value
};

}  // namespace crescendo::datasets
