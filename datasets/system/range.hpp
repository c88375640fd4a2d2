#pragma once

#include <cstdint>

namespace crescendo::datasets {

/// Numbers [begin, end), of samples unless something else is said.
struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;

    std::int64_t size() const { return end - begin; }
    friend bool operator==(const Range&, const Range&) = default;
};

/// ⌊part·n/parts⌋ for part <= parts, without overflow for any n. Part i of n has the numbers from share_of(n, i, parts)
/// to share_of(n, i + 1, parts).
constexpr std::int64_t share_of(std::int64_t n, std::int64_t part, std::int64_t parts) {
    return n / parts * part + n % parts * part / parts;
}

}  // namespace crescendo::datasets
