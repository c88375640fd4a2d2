#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "datasets/samples/shared_chunks.hpp"
#include "datasets/system/page.hpp"
#include "datasets/system/task_pool.hpp"

namespace crescendo::datasets {

/// Reusable memory for a fixed number of chunks of a set. Fields with the same samples (SampleSet::first_alike) are
/// read once and share their memory.
class ChunkBuffer {
  public:
    /// `set` must outlive the buffer. With `shared` (may be null), chunks are read for all processes that share it.
    ChunkBuffer(const SampleSet& set, std::int64_t capacity_chunks, std::shared_ptr<SharedChunks> shared = nullptr);

    /// Replaces the buffer's contents by `chunks`, read by all threads of `pool`. `chunks` must be ascending and at
    /// most the capacity. One of these threads calls `go_on` before every read of a few MiB; if it returns false,
    /// reading ends. Returns whether all was read. Throws what SampleSet::read and SampleSet::expect_unchanged throw.
    bool load(std::vector<std::int64_t> chunks, TaskPool& pool, const std::function<bool()>& go_on);

    /// Position of a sample in the buffer.
    struct Place {
        std::int64_t chunk;   ///< index among the chunks in the buffer
        std::int64_t sample;  ///< index in that chunk
    };
    Place find(std::int64_t sample) const;

    /// Bytes of field `field` of the sample at `place`. Fields count from 0, inputs first, then targets.
    std::span<const std::byte> at(std::size_t field, Place place) const { return memory_[owner_[field]].at(place); }

  private:
    /// One read: samples [begin, begin + count) of the set, stored in the buffer's chunks from index `place` on.
    struct Read {
        std::int64_t begin;
        std::int64_t count;
        std::int64_t place;
    };
    using GoOn = std::function<bool()>;

    std::size_t run_length(std::span<const std::int64_t> chunks, std::size_t limit) const;
    std::vector<Read> plan_reads() const;
    void read(const Read& read);
    std::vector<Read> read_for_all(const Read& read);
    bool wait_for(const Read& chunk, const GoOn& go_on);
    SharedChunks::Lease acquire(const Read& chunk);
    void copy_from(std::span<const std::byte> shared, const Read& chunk);
    void publish(SharedChunks::Lease lease, const Read& chunk);
    std::vector<std::span<std::byte>> fields_of(const Read& read);

    /// Memory of one field.
    class Memory {
      public:
        Memory(const Field& field, std::int64_t chunk_samples, std::int64_t num_chunks);
        std::span<std::byte> range(std::int64_t place, std::int64_t count);
        std::span<const std::byte> at(Place place) const;

      private:
        std::byte* bytes() const { return reinterpret_cast<std::byte*>(pages_.get()); }

        Field field_;
        std::size_t sample_bytes_;
        std::size_t pitch_bytes_;
        std::size_t chunk_bytes_;  ///< distance from one chunk to the next
        std::unique_ptr<Page[]> pages_;
    };

    const SampleSet& set_;
    const std::shared_ptr<SharedChunks> shared_;  ///< may be null
    std::uint64_t identity_ = 0;                  ///< SampleSet::identity(), which tells sets apart in shared_
    std::atomic<std::chrono::nanoseconds> longest_read_{};
    const ChunkMap& map_;
    std::int64_t chunk_samples_;
    std::int64_t capacity_chunks_;
    bool overlap_;                      ///< the last samples of a chunk reach into the next one
    std::vector<std::int64_t> chunks_;  ///< ascending
    std::vector<std::size_t> owner_;    ///< for each field, the field whose memory it uses (usually its own)
    std::vector<Memory> memory_;        ///< memory of each field; empty if it uses another field's
};

}  // namespace crescendo::datasets
