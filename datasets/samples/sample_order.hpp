#pragma once

#include <cstdint>
#include <vector>

#include "datasets/samples/chunk_map.hpp"
#include "datasets/system/range.hpp"

namespace crescendo::datasets {

/// How samples are shuffled. Shuffle::none is the file's order.
enum class Shuffle { none, windowed };

/// The random numbers of an order.
struct OrderSeed {
    /// Says which chunks a window has. Trials that have it in common can share what they read.
    std::uint64_t sweep = 0;
    /// Shuffles the samples of a window.
    std::uint64_t trial = 0;

    OrderSeed(std::uint64_t of_both = 0) : sweep(of_both), trial(of_both) {}
    OrderSeed(std::uint64_t of_sweep, std::uint64_t of_trial) : sweep(of_sweep), trial(of_trial) {}

    friend bool operator==(const OrderSeed&, const OrderSeed&) = default;
};

/// The permutation of an epoch over a set, or over a range of its samples. It depends on (seed, epoch) and the shape,
/// and not on the number of workers. So a regroup in the middle of an epoch moves samples between workers, but no
/// sample in the order.
///
/// The chunks are divided into shards of neighbouring chunks, whose number follows from the set and the memory alone.
/// A shard visits its chunks in random order. A window has the next chunks of every shard, which bounds the memory a
/// reader needs; one window over all chunks is a full shuffle of each shard. The samples of a shard's chunks in a
/// window are shuffled (Fisher and Yates), and the order takes one sample of each shard after another. So any run of
/// positions has about equally many samples of each shard, and workers that share the shards among them each read
/// their own only.
class SampleOrder {
  public:
    struct Shape {
        ChunkMap chunks;                            ///< of the set
        std::int64_t num_windows = 1;               ///< at most the chunks of the smallest shard
        std::int64_t num_shards = 1;                ///< at most `most_shards` and the number of chunks
        Range samples = {0, chunks.num_samples()};  ///< the range, which may begin and end inside chunks

        std::int64_t num_samples() const { return samples.size(); }
        std::int64_t first_chunk() const { return chunks.chunk_of(samples.begin); }
        std::int64_t num_chunks() const;     ///< chunks that hold samples of the range
        std::int64_t window_chunks() const;  ///< the most chunks that a window has
    };
    static constexpr std::int64_t most_shards = 64;

    SampleOrder(Shape shape, Shuffle shuffle, OrderSeed seed, std::int64_t epoch);

    struct Window {
        std::int64_t first_position = 0;    ///< position of the window's first sample in the epoch's order
        std::vector<std::int64_t> samples;  ///< numbers in the file, in the epoch's order from `first_position` on
        std::vector<std::uint8_t> shards;   ///< the shard of each
        /// The chunks of each shard, ascending, so that a reader goes forward.
        std::vector<std::vector<std::int64_t>> chunks;
    };

    std::int64_t num_windows() const { return shape_.num_windows; }
    /// The window that holds `position`, which is in [0, num_samples).
    std::int64_t window_at(std::int64_t position) const;
    /// Computes a window. An epoch's whole order never lies in memory.
    Window window(std::int64_t index) const;

  private:
    Range shard(std::int64_t number) const;
    Range visits(std::int64_t shard_number, std::int64_t window) const;
    Range samples_of(std::int64_t chunk) const;

    Shape shape_;
    Shuffle shuffle_;
    OrderSeed seed_;
    std::int64_t epoch_;
    std::vector<std::int64_t> chunk_order_;   ///< shard by shard
    std::vector<std::int64_t> window_start_;  ///< first position of each window, then num_samples
};

}  // namespace crescendo::datasets
