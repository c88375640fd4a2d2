#pragma once

#include <cstdint>
#include <vector>

#include "datasets/samples/chunk_map.hpp"
#include "datasets/system/range.hpp"

namespace crescendo::datasets {

/// How samples are shuffled. Shuffle::none keeps the file's order.
enum class Shuffle { none, windowed };

/// Seeds of an order.
struct OrderSeed {
    /// Chooses the chunks of each window. Trials with the same value can share what they read.
    std::uint64_t sweep = 0;
    /// Shuffles the samples of a window.
    std::uint64_t trial = 0;

    OrderSeed(std::uint64_t of_both = 0) : sweep(of_both), trial(of_both) {}
    OrderSeed(std::uint64_t of_sweep, std::uint64_t of_trial) : sweep(of_sweep), trial(of_trial) {}

    friend bool operator==(const OrderSeed&, const OrderSeed&) = default;
};

/// The permutation of one epoch over a set, or over a range of its samples. It depends on (seed, epoch) and the shape,
/// but not on the number of workers. So a regroup in mid-epoch moves samples between workers, but does not change their
/// order.
/// The chunks are divided into shards of neighbouring chunks; the number of shards follows from the set and the memory
/// alone. A shard visits its chunks in random order. A window has the next chunks of every shard, which bounds the
/// memory that a reader needs; a single window over all chunks shuffles each shard fully. The samples of a shard's
/// chunks in a window are shuffled (Fisher and Yates), and the order takes one sample of each shard in turn. So any run
/// of positions has about equally many samples of each shard, and workers that divide the shards among them each read
/// only their own.
class SampleOrder {
  public:
    struct Shape {
        ChunkMap chunks;                            ///< chunks of the set
        std::int64_t num_windows = 1;               ///< at most the number of chunks of the smallest shard
        std::int64_t num_shards = 1;                ///< at most `most_shards` and the number of chunks
        Range samples = {0, chunks.num_samples()};  ///< range of samples; may begin and end inside chunks

        std::int64_t num_samples() const { return samples.size(); }
        std::int64_t first_chunk() const { return chunks.chunk_of(samples.begin); }
        std::int64_t num_chunks() const;     ///< chunks that hold samples of the range
        std::int64_t window_chunks() const;  ///< maximum number of chunks in a window
    };
    static constexpr std::int64_t most_shards = 64;

    SampleOrder(Shape shape, Shuffle shuffle, OrderSeed seed, std::int64_t epoch);

    struct Window {
        std::int64_t first_position = 0;    ///< position of the window's first sample in the epoch's order
        std::vector<std::int64_t> samples;  ///< indices in the set, in the epoch's order from `first_position` on
        std::vector<std::uint8_t> shards;   ///< shard of each sample
        /// Chunks of each shard, ascending, so that a reader moves forward.
        std::vector<std::vector<std::int64_t>> chunks;
    };

    std::int64_t num_windows() const { return shape_.num_windows; }
    /// The window that holds `position`, which must be in [0, num_samples).
    std::int64_t window_at(std::int64_t position) const;
    /// Computes a window. The order of a whole epoch is never in memory.
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
