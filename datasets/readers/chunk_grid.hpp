#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "datasets/system/range.hpp"

namespace crescendo::datasets {

/// How chunks tile a data set whose first axis counts samples. A chunk at the edge of the data set is stored in full;
/// its part beyond the edge is padding.
class ChunkGrid {
  public:
    /// Position of a chunk: the indices of its first element along the axes.
    using Offset = std::vector<hsize_t>;

    /// `chunk` has as many lengths as `extent`, at least one. All are positive. `part` has the range to take of each
    /// axis after the first; empty: whole samples.
    ChunkGrid(std::vector<std::int64_t> extent, std::vector<std::int64_t> chunk, std::size_t element_bytes,
              std::vector<Range> part = {});

    std::size_t chunk_bytes() const { return chunk_strides_.front() * static_cast<std::size_t>(chunk_.front()); }
    std::size_t sample_bytes() const { return sample_strides_.front(); }

    /// First and last sample of a chunk. The last one is a sample of the data set, never padding.
    std::int64_t first_sample(const Offset& offset) const { return static_cast<std::int64_t>(offset.front()); }
    std::int64_t last_sample(const Offset& offset) const;

    /// Whether the bytes of a chunk are whole samples, one after another, without padding.
    bool holds_whole_samples(const Offset& offset) const;

    /// Calls `visit` for each chunk that has taken elements of samples [begin, end), in file order.
    void for_each_chunk(std::int64_t begin, std::int64_t end, const std::function<void(const Offset&)>& visit) const;

    /// Copies the elements of samples [begin, end) in the decoded `chunk` to their places in `out`, the memory of these
    /// samples.
    void copy(std::span<const std::byte> chunk, const Offset& offset, std::int64_t begin, std::int64_t end,
              std::span<std::byte> out) const;

  private:
    struct Box;
    void copy_axis(std::size_t axis, const Box& box, const std::byte* from, std::byte* to) const;

    std::vector<std::int64_t> extent_;
    std::vector<std::int64_t> chunk_;
    std::vector<Range> taken_;                 ///< indices taken of each axis; all of the first
    std::vector<std::size_t> chunk_strides_;   ///< bytes from one index of an axis to the next, in a chunk
    std::vector<std::size_t> sample_strides_;  ///< bytes from one index of an axis to the next, in memory
    std::size_t first_whole_axis_;             ///< from this axis on, chunks cover the whole length, and all is taken
};

}  // namespace crescendo::datasets
