#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace crescendo::datasets {

/// What stored numbers mean, according to a data set's attributes (CF conventions 1.11, sections 2.5 and 8.1).
struct Packing {
    double wrap = 0;      ///< added to stored numbers below 0: 65536 if _Unsigned makes int16 mean uint16
    bool scaled = false;  ///< whether scale_factor or add_offset is set: stored integers are measurements
    double scale = 1;
    double offset = 0;
    std::vector<double> missing;  ///< numbers, after wrapping, that mark missing values: _FillValue, missing_value
    double valid_min = -std::numeric_limits<double>::infinity();  ///< smallest valid number, after wrapping
    double valid_max = std::numeric_limits<double>::infinity();   ///< largest valid number, after wrapping

    /// Whether decoding with this packing also does all that `other` requires.
    bool says_all_of(const Packing& other) const;

    /// Replaces stored numbers by what they mean: stored * scale + offset, or NaN for missing values.
    void decode(std::span<double> numbers) const;
};

/// Describes a packing: "x * 0.01 + 273.15, missing -32768, valid 0 to 100".
std::string to_string(const Packing& packing);

}  // namespace crescendo::datasets
