#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "datasets/hdf5/field.hpp"

namespace crescendo::datasets {

/// Bytes of a row that lie together and are wanted.
struct RowRun {
    std::uint64_t offset = 0;  ///< from the begin of the row
    std::size_t bytes = 0;

    friend bool operator==(const RowRun&, const RowRun&) = default;
};

/// The runs that the part of a row is made of, ascending; one with all of it if rows are read whole.
std::vector<RowRun> row_runs(const Field& field);

}  // namespace crescendo::datasets
