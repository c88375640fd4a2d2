#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "datasets/samples/set_options.hpp"
#include "datasets/system/range.hpp"

namespace crescendo::datasets {

/// Maps the samples of a file to its rows.
struct RowMap {
    std::int64_t num_samples = 0;
    std::int64_t first = 0;               ///< row of sample 0
    std::int64_t step = 1;                ///< step of the Selection: rows from one sample to the next
    TimeWindow window = {};               ///< length 0: a sample is a row
    std::vector<std::int64_t> list = {};  ///< ascending rows, if a list selects them instead of a range

    std::int64_t row_of(std::int64_t sample) const {
        return list.empty() ? first + sample * step * window.stride : list[static_cast<std::size_t>(sample)];
    }

    /// Ranges of neighbouring rows that make samples [begin, begin + count) of a field. A sample of the field has
    /// `length` rows, of which the first is `offset` rows after row_of(sample). With length 0 it is that single row.
    std::vector<Range> ranges_of(std::int64_t offset, std::int64_t length, std::int64_t begin,
                                 std::int64_t count) const;

    /// Whether any sample uses `row`.
    bool takes(std::int64_t row) const {
        if (!list.empty()) {
            return std::binary_search(list.begin(), list.end(), row);
        }
        const auto end = row_of(num_samples - 1) + sample_rows();
        return row >= first && row < end && (row - first) % sample_pitch() < sample_rows();
    }

    /// A row that samples of both maps use; none if there is none. The maps are of the same file, and neither is empty.
    static std::optional<std::int64_t> common_row(const RowMap& one, const RowMap& other);

  private:
    /// Number of rows from a sample's first input row to its target.
    std::int64_t sample_rows() const { return std::max<std::int64_t>(1, window.length + window.horizon); }
    std::int64_t sample_pitch() const { return step * window.stride; }
};

}  // namespace crescendo::datasets
