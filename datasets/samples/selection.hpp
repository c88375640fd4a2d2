#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace crescendo::datasets {

/// Which rows of a group's data sets are samples: `FILE:/GROUP` takes all, `FILE:/GROUP[0:50000]` a range of which the
/// end is not included, `FILE:/GROUP[/splits/train]` those that an integer data set of the file lists.
struct Selection {
    std::string group;                     ///< FILE:/GROUP
    std::int64_t begin = 0;                ///< of the range
    std::optional<std::int64_t> end = {};  ///< none: up to the last row
    std::string list = {};                 ///< absolute path of the data set; empty where there is a range or all

    /// Throws InvalidInput for brackets that hold neither.
    static Selection parse(const std::string& location);

    /// What stands behind the group: "", "[0:50000]", "[/splits/train]". Equal selections give equal texts.
    std::string suffix() const;
};

}  // namespace crescendo::datasets
