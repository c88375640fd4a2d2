#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/hdf5/field.hpp"

namespace crescendo::datasets {

/// A data set as the settings name it: `t`, or `t[:, 3, 0:720]`, which takes a part of each row. The first axis is the
/// rows, which a location selects. Axes that are left out at the end are taken whole.
struct DataSetName {
    /// What is taken of an axis behind the first.
    struct Axis {
        std::int64_t begin = 0;
        std::optional<std::int64_t> end = {};  ///< not included; none: up to the last index
        bool is_index = false;                 ///< a single index, which removes the axis
    };

    std::string name;  ///< path in the group
    std::vector<Axis> axes = {};

    /// Reads a name. Throws InvalidInput if the brackets hold no selection.
    static DataSetName parse(const std::string& text);

    /// Takes the part of the rows of `field`, which are whole. Throws InvalidInput that names the data set `name` if it
    /// has no such part.
    void cut(Field& field, const std::string& name) const;
};

/// The names in a list that commas divide, but for commas within brackets: "t[:, 3],z" are two.
std::vector<std::string> split_names(std::string_view list);

}  // namespace crescendo::datasets
