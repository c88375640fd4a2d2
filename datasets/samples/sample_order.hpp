#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace crescendo::datasets {

/// How samples are shuffled. Shuffle::none is the file's order.
enum class Shuffle { none, windowed };

/// The permutation of an epoch over a set, or over a range of its samples. It depends on (seed, epoch) and the shape,
/// and not on the number of workers. So a regroup in the middle of an epoch moves slices between workers, but no sample
/// in the order.
///
/// Chunks are visited in random order; samples are shuffled (Fisher and Yates) across a window of `window_chunks`
/// consecutive chunks of that order, which bounds the memory a reader needs. One window over all chunks is a
/// full shuffle.
class SampleOrder {
  public:
    struct Shape {
        std::int64_t num_samples = 1;    ///< of the range
        std::int64_t chunk_samples = 1;  ///< samples of a chunk; the file's last chunk may hold less
        std::int64_t window_chunks = 1;  ///< chunks of a window; the epoch's last window may hold less
        std::int64_t first_sample = 0;   ///< of the range, which may begin and end inside chunks

        std::int64_t first_chunk() const { return first_sample / chunk_samples; }
        std::int64_t num_chunks() const;  ///< chunks that hold samples of the range
        std::int64_t num_windows() const;
    };

    SampleOrder(Shape shape, Shuffle shuffle, std::uint64_t seed, std::int64_t epoch);

    struct Window {
        std::int64_t first_position = 0;    ///< position of the window's first sample in the epoch's order
        std::vector<std::int64_t> chunks;   ///< chunks to read, ascending, so that a reader goes forward
        std::vector<std::int64_t> samples;  ///< numbers in the file, in the epoch's order from `first_position` on
    };

    std::int64_t num_windows() const;
    /// The window that holds `position`, which is in [0, num_samples).
    std::int64_t window_at(std::int64_t position) const;
    /// Computes a window. An epoch's whole order never lies in memory.
    Window window(std::int64_t index) const;

  private:
    /// The samples of the range that `chunk` holds: the first, and the one behind the last.
    std::pair<std::int64_t, std::int64_t> samples_of(std::int64_t chunk) const;

    Shape shape_;
    Shuffle shuffle_;
    std::uint64_t seed_;
    std::int64_t epoch_;
    std::vector<std::int64_t> chunk_order_;
    std::vector<std::int64_t> window_start_;  ///< first position of each window, then num_samples
};

}  // namespace crescendo::datasets
