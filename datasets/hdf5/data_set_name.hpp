#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/hdf5/field.hpp"

namespace crescendo::datasets {

/// A data set as named in the settings: `t`, or `t[:, 3, 0:720]`, which takes a part of each row. The first axis counts
/// rows, which a location selects. Trailing axes that are left out are taken whole.
struct DataSetName {
    /// The part that is taken of an axis other than the first.
    struct Axis {
        std::int64_t begin = 0;
        std::optional<std::int64_t> end = {};  ///< exclusive; none: up to the last index
        bool is_index = false;                 ///< a single index, which removes the axis
    };

    std::string name;  ///< path in the group
    std::vector<Axis> axes = {};

    /// Reads a name. Throws InvalidInput if the brackets hold no selection.
    static DataSetName parse(const std::string& text);

    /// Reduces the rows of `field`, which must be whole, to this part. Throws InvalidInput that names the data set
    /// `name` if it has no such part.
    void cut(Field& field, const std::string& name) const;
};

/// Splits a list of names at its commas, except those in brackets: "t[:, 3],z" has two names.
std::vector<std::string> split_names(std::string_view list);

}  // namespace crescendo::datasets
