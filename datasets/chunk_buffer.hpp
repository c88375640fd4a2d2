#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "datasets/page.hpp"
#include "datasets/sample_set.hpp"
#include "datasets/task_pool.hpp"

namespace crescendo::datasets {

/// Memory for a fixed number of chunks of a set, filled again and again.
class ChunkBuffer {
  public:
    /// Uses `set` as long as it lives.
    ChunkBuffer(const SampleSet& set, std::int64_t capacity_chunks);

    /// Replaces what the buffer holds by `chunks`, ascending and at most its capacity, read by all threads of `pool`.
    /// Asks `go_on`, in any of these threads, before every read of a few MiB; returns whether all was read.
    bool load(std::vector<std::int64_t> chunks, TaskPool& pool, const std::function<bool()>& go_on);

    struct Sample {
        std::span<const std::byte> input;
        std::span<const std::byte> target;
    };

    /// The sample numbered `sample` in the file, which lies in one of the chunks held.
    Sample at(std::int64_t sample) const;

  private:
    /// Samples [begin, begin + count) of the file, which go to `slot` and the slots after it.
    struct Read {
        std::int64_t begin;
        std::int64_t count;
        std::int64_t slot;
    };
    std::vector<Read> plan_reads() const;

    struct Memory {
        Memory(std::size_t bytes_each, std::int64_t capacity);
        std::span<std::byte> range(std::int64_t begin, std::int64_t count);
        std::span<const std::byte> at(std::int64_t slot) const;
        std::byte* bytes() const { return reinterpret_cast<std::byte*>(pages.get()); }

        std::size_t sample_bytes;
        std::unique_ptr<Page[]> pages;
    };

    const SampleSet& set_;
    std::int64_t chunk_samples_;
    std::int64_t capacity_;             ///< in samples
    std::vector<std::int64_t> chunks_;  ///< ascending, so that only the last can be the file's short one
    Memory inputs_;
    Memory targets_;
};

}  // namespace crescendo::datasets
