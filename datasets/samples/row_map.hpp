#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "datasets/samples/set_options.hpp"
#include "datasets/system/range.hpp"

namespace crescendo::datasets {

/// Which rows of a file make which of its samples.
struct RowMap {
    std::int64_t num_samples = 0;
    std::int64_t first = 0;               ///< row of sample 0
    std::int64_t step = 1;                ///< rows from one sample to the next, where no other row is read
    TimeWindow window = {};               ///< length 0: a sample is a row
    std::vector<std::int64_t> list = {};  ///< rows in ascending order where these, and no range, are selected

    std::int64_t row_of(std::int64_t sample) const {
        return list.empty() ? first + sample * step * window.stride : list[static_cast<std::size_t>(sample)];
    }

    /// The neighbouring rows that samples [begin, begin + count) of a field are made of. A sample of the field is
    /// `length` rows, `offset` behind its row; with length 0 it is that row.
    std::vector<Range> ranges_of(std::int64_t offset, std::int64_t length, std::int64_t begin,
                                 std::int64_t count) const;

    /// Whether some sample is made of `row`.
    bool takes(std::int64_t row) const {
        if (!list.empty()) {
            return std::binary_search(list.begin(), list.end(), row);
        }
        const auto end = row_of(num_samples - 1) + sample_rows();
        return row >= first && row < end && (row - first) % sample_pitch() < sample_rows();
    }

    /// A row that samples of both maps of a file are made of. Both have samples.
    static std::optional<std::int64_t> common_row(const RowMap& one, const RowMap& other);

  private:
    /// Rows from the first of a sample's inputs to its target.
    std::int64_t sample_rows() const { return std::max<std::int64_t>(1, window.length + window.horizon); }
    std::int64_t sample_pitch() const { return step * window.stride; }
};

}  // namespace crescendo::datasets
