#pragma once

namespace crescendo::datasets {

/// What becomes of a virtual data set some of whose sources are not there.
enum class MissingSources {
    error,  ///< it is refused
    fill,   ///< their samples are the fill value
};

}  // namespace crescendo::datasets
