#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "datasets/samples/sample_set.hpp"
#include "datasets/system/page.hpp"
#include "datasets/system/task_pool.hpp"

namespace crescendo::datasets {

/// Memory for a fixed number of chunks of a set, filled again and again. Fields that are alike
/// (SampleSet::first_alike) are read once and share theirs.
class ChunkBuffer {
  public:
    /// Uses `set` as long as it lives.
    ChunkBuffer(const SampleSet& set, std::int64_t capacity_chunks);

    /// Replaces what the buffer holds by `chunks`, ascending and at most its capacity, read by all threads of `pool`.
    /// Asks `go_on`, in any of these threads, before every read of a few MiB; returns whether all was read.
    bool load(std::vector<std::int64_t> chunks, TaskPool& pool, const std::function<bool()>& go_on);

    /// Where the sample numbered `sample` in the set lies, which is in one of the chunks held.
    struct Place {
        std::int64_t chunk;   ///< the how manieth of those held
        std::int64_t sample;  ///< of that chunk
    };
    Place find(std::int64_t sample) const;

    /// What field `field` has of that sample, counting the inputs' fields and then the targets'.
    std::span<const std::byte> at(std::size_t field, Place place) const { return memory_[owner_[field]].at(place); }

  private:
    /// Samples [begin, begin + count) of the set, which go to the chunks from `place` on.
    struct Read {
        std::int64_t begin;
        std::int64_t count;
        std::int64_t place;
    };
    std::vector<Read> plan_reads() const;

    /// Of one field.
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
        std::size_t chunk_bytes_;  ///< from one chunk to the next
        std::unique_ptr<Page[]> pages_;
    };

    const SampleSet& set_;
    std::int64_t chunk_samples_;
    std::int64_t capacity_chunks_;
    bool overlap_;                      ///< the last samples of a chunk reach into the next one
    std::vector<std::int64_t> chunks_;  ///< ascending, so that only the last can be the set's short one
    std::vector<std::size_t> owner_;    ///< of each field: the one that it shares memory with, mostly itself
    std::vector<Memory> memory_;        ///< of each field; for no chunks where it has that of another
};

}  // namespace crescendo::datasets
