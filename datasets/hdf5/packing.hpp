#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace crescendo::datasets {

/// What stored numbers mean, as the attributes of a data set say (CF conventions 1.11, sections 2.5 and 8.1).
struct Packing {
    double wrap = 0;  ///< added to stored numbers below 0: 65536 if _Unsigned says that int16 are to be read as uint16
    bool scaled = false;  ///< whether scale_factor or add_offset is given: stored integers are measurements
    double scale = 1;
    double offset = 0;
    std::vector<double> missing;  ///< numbers, once wrapped, that stand for none: _FillValue, missing_value
    double valid_min = -std::numeric_limits<double>::infinity();  ///< the smallest of them that counts
    double valid_max = std::numeric_limits<double>::infinity();   ///< the largest of them that counts

    /// Whether whoever follows this packing does all that `other` asks for.
    bool says_all_of(const Packing& other) const;

    /// Replaces stored numbers by what they mean: stored * scale + offset, or NaN if they stand for none.
    void decode(std::span<double> numbers) const;
};

/// Describes a packing: "x * 0.01 + 273.15, missing -32768, valid 0 to 100".
std::string to_string(const Packing& packing);

}  // namespace crescendo::datasets
