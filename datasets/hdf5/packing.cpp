#include "datasets/hdf5/packing.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"

namespace crescendo::datasets {

bool Packing::says_all_of(const Packing& other) const {
    const bool same_numbers = !other.scaled || (scaled && scale == other.scale && offset == other.offset);
    const bool same_missing = std::all_of(other.missing.begin(), other.missing.end(), [&](double value) {
        return std::find(missing.begin(), missing.end(), value) != missing.end();
    });
    return same_numbers && same_missing && (other.wrap == 0 || wrap == other.wrap) && valid_min >= other.valid_min &&
           valid_max <= other.valid_max;
}

// One pass per operation, so that the compiler vectorises each.
void Packing::decode(std::span<double> numbers) const {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    if (wrap > 0) {
        for (double& x : numbers) {
            x = x < 0 ? x + wrap : x;
        }
    }
    for (const double value : missing) {
        for (double& x : numbers) {
            x = x == value ? none : x;
        }
    }
    if (std::isfinite(valid_min) || std::isfinite(valid_max)) {
        for (double& x : numbers) {
            x = x >= valid_min && x <= valid_max ? x : none;
        }
    }
    if (scaled) {
        for (double& x : numbers) {
            x = x * scale + offset;
        }
    }
}

std::string to_string(const Packing& packing) {
    std::string words;
    const auto add = [&](const std::string& part) { words += (words.empty() ? "" : ", ") + part; };
    if (packing.wrap > 0) {
        add("unsigned");
    }
    if (packing.scaled) {
        add(text("x * {} + {}", packing.scale, packing.offset));
    }
    for (const double value : packing.missing) {
        add(text("missing {}", value));
    }
    if (std::isfinite(packing.valid_min) || std::isfinite(packing.valid_max)) {
        add(text("valid {} to {}", packing.valid_min, packing.valid_max));
    }
    return words;
}

}  // namespace crescendo::datasets
