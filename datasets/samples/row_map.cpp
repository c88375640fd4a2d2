#include "datasets/samples/row_map.hpp"

#include <span>

namespace crescendo::datasets {

std::vector<Range> RowMap::ranges_of(std::int64_t offset, std::int64_t length, std::int64_t begin,
                                     std::int64_t count) const {
    std::vector<Range> ranges;
    if (step > 1) {
        for (auto sample = begin; sample < begin + count; ++sample) {
            ranges.push_back({row_of(sample), row_of(sample) + 1});
        }
        return ranges;
    }
    if (list.empty()) {
        const auto row = row_of(begin) + offset;
        return {{row, row + (count - 1) * window.stride + std::max<std::int64_t>(1, length)}};
    }
    for (const auto row : std::span(list).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count))) {
        if (ranges.empty() || ranges.back().end != row) {
            ranges.push_back({row, row});
        }
        ++ranges.back().end;
    }
    return ranges;
}

std::optional<std::int64_t> RowMap::common_row(const RowMap& one, const RowMap& other) {
    if (one.list.empty() && !other.list.empty()) {
        return common_row(other, one);
    }
    // Samples before `begin` share no row with `other`. If both maps are ranges, the pattern of shared rows repeats
    // after other.sample_pitch() samples.
    std::int64_t begin = 0;
    std::int64_t end = one.num_samples;
    if (one.list.empty()) {
        begin = std::clamp<std::int64_t>((other.first - one.first) / one.sample_pitch(), 0, one.num_samples - 1);
        end = std::min(end, begin + other.sample_pitch() + 1);
    }
    for (auto sample = begin; sample < end; ++sample) {
        const auto first = one.row_of(sample);
        for (auto row = first; row < first + one.sample_rows(); ++row) {
            if (other.takes(row)) {
                return row;
            }
        }
    }
    return std::nullopt;
}

}  // namespace crescendo::datasets
