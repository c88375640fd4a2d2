#pragma once

#include <cstdint>

namespace crescendo::datasets {

/// Indices [begin, end), of samples unless stated otherwise.
struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;

    std::int64_t size() const { return end - begin; }
    friend bool operator==(const Range&, const Range&) = default;
};

/// ⌈n/d⌉ for n >= 0 and d >= 1, without overflow.
constexpr std::int64_t ceil_div(std::int64_t n, std::int64_t d) { return n / d + (n % d != 0 ? 1 : 0); }

/// ⌊part·n/parts⌋ for part <= parts, without overflow for any n. Part i of n has the indices from share_of(n, i, parts)
/// to share_of(n, i + 1, parts).
constexpr std::int64_t share_of(std::int64_t n, std::int64_t part, std::int64_t parts) {
    return n / parts * part + n % parts * part / parts;
}

}  // namespace crescendo::datasets
