#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace crescendo::datasets {

/// What stored numbers mean, as the attributes of a data set say (CF conventions 1.11, sections 2.5 and 8.1).
struct Packing {
    bool scaled = false;  ///< whether scale_factor or add_offset is given: stored integers are measurements
    double scale = 1;
    double offset = 0;
    std::vector<double> missing;  ///< stored numbers that stand for none: _FillValue, missing_value
    double valid_min = -std::numeric_limits<double>::infinity();  ///< the smallest stored number that counts
    double valid_max = std::numeric_limits<double>::infinity();   ///< the largest stored number that counts

    /// Replaces stored numbers by what they mean: stored * scale + offset, or NaN if they stand for none.
    void decode(std::span<double> numbers) const;
};

/// Describes a packing: "x * 0.01 + 273.15, missing -32768, valid 0 to 100".
std::string to_string(const Packing& packing);

}  // namespace crescendo::datasets
