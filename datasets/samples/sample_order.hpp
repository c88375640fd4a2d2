#pragma once

#include <cstdint>
#include <vector>

namespace crescendo::datasets {

/// Shuffle::none is the file's order.
enum class Shuffle { none, windowed };

/// The one permutation of an epoch: a function of (seed, epoch) and of the shape, whatever the number of
/// workers, so that a regroup in mid-epoch moves slices between workers and no sample.
///
/// Chunks are visited in random order; samples are shuffled (Fisher and Yates) across a window of `window_chunks`
/// consecutive chunks of that order, which bounds the memory a reader needs. One window over all chunks is a
/// full shuffle.
class SampleOrder {
  public:
    struct Shape {
        std::int64_t num_samples = 1;
        std::int64_t chunk_samples = 1;  ///< the file's last chunk may hold less
        std::int64_t window_chunks = 1;  ///< the epoch's last window may hold less

        std::int64_t num_chunks() const;
        std::int64_t num_windows() const;
    };

    SampleOrder(Shape shape, Shuffle shuffle, std::uint64_t seed, std::int64_t epoch);

    struct Window {
        std::int64_t first_position = 0;    ///< of the epoch's order
        std::vector<std::int64_t> chunks;   ///< to be read; ascending, so that a reader goes forward through the file
        std::vector<std::int64_t> samples;  ///< numbers in the file, in the epoch's order from `first_position` on
    };

    std::int64_t num_windows() const;
    /// The window that holds `position`, which is in [0, num_samples).
    std::int64_t window_at(std::int64_t position) const;
    /// Computed on demand: an epoch's whole order never lies in memory.
    Window window(std::int64_t index) const;

  private:
    Shape shape_;
    Shuffle shuffle_;
    std::uint64_t seed_;
    std::int64_t epoch_;
    std::vector<std::int64_t> chunk_order_;
    std::vector<std::int64_t> window_start_;  ///< first position of each window, then num_samples
};

}  // namespace crescendo::datasets
