#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace crescendo::datasets {

/// How chunks tile a data set whose first axis counts samples. A chunk at the data set's edge is stored whole; what
/// reaches beyond the edge is padding.
class ChunkGrid {
  public:
    /// A chunk's first element: its indices along the axes.
    using Offset = std::vector<unsigned long long>;  // HDF5's hsize_t

    /// As many lengths of chunks as of the extent, at least one; all positive.
    ChunkGrid(std::vector<std::int64_t> extent, std::vector<std::int64_t> chunk, std::size_t element_bytes);

    std::size_t chunk_bytes() const { return chunk_strides_.front() * static_cast<std::size_t>(chunk_.front()); }
    std::size_t sample_bytes() const { return sample_strides_.front(); }

    /// First and last sample of the chunk that the data set has.
    std::int64_t first_sample(const Offset& offset) const { return static_cast<std::int64_t>(offset.front()); }
    std::int64_t last_sample(const Offset& offset) const;

    /// Whether the chunk's bytes are those of whole samples, one after another, without padding.
    bool holds_whole_samples(const Offset& offset) const;

    /// Calls `visit` for each chunk with elements of the samples [begin, end), in the order of the file.
    void for_each_chunk(std::int64_t begin, std::int64_t end, const std::function<void(const Offset&)>& visit) const;

    /// Copies what the decoded `chunk` has of the samples [begin, end) to its places in `out`, these samples' memory.
    void copy(std::span<const std::byte> chunk, const Offset& offset, std::int64_t begin, std::int64_t end,
              std::span<std::byte> out) const;

  private:
    struct Box;
    void copy_axis(std::size_t axis, const Box& box, const std::byte* from, std::byte* to) const;

    std::vector<std::int64_t> extent_;
    std::vector<std::int64_t> chunk_;
    std::vector<std::size_t> chunk_strides_;   ///< bytes from one index of an axis to the next, in a chunk
    std::vector<std::size_t> sample_strides_;  ///< and in memory
    std::size_t first_whole_axis_;             ///< from here on a chunk takes an axis's whole length
};

}  // namespace crescendo::datasets
