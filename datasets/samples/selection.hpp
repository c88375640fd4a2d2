#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace crescendo::datasets {

/// Selects which rows of a group's data sets are samples. `FILE:/GROUP` takes all rows. `FILE:/GROUP[0:50000]` takes a
/// range, without its end, and `FILE:/GROUP[0:50000:6]` every sixth row of it. `FILE:/GROUP[/splits/train]` takes the
/// rows that an integer data set of the file lists.
struct Selection {
    std::string group;                     ///< FILE:/GROUP
    std::int64_t begin = 0;                ///< first row of the range
    std::optional<std::int64_t> end = {};  ///< end of the range, exclusive; none: up to the last row
    std::int64_t step = 1;                 ///< distance between the selected rows of the range
    std::string list = {};                 ///< absolute path of the data set that lists rows; empty for a range

    /// Reads a selection. Throws InvalidInput if the brackets hold neither a range nor a list.
    static Selection parse(const std::string& location);

    /// The text after the group: "", "[0:50000]", "[::6]", "[/splits/train]". Equal selections give equal texts.
    std::string suffix() const;
};

}  // namespace crescendo::datasets
