#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "datasets/hdf5/field.hpp"

namespace crescendo::datasets {

/// Contiguous bytes of a row that are wanted.
struct RowRun {
    std::uint64_t offset = 0;  ///< from the start of the row
    std::size_t bytes = 0;

    friend bool operator==(const RowRun&, const RowRun&) = default;
};

/// The runs of a field's part of a row, ascending; a single run if rows are read whole.
std::vector<RowRun> row_runs(const Field& field);

}  // namespace crescendo::datasets
