#pragma once

#include <hdf5.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "datasets/readers/filter_pipeline.hpp"

namespace crescendo::datasets {

/// What the readers of a set keep between reads. They share it, so that its size grows with the number of threads that
/// read at the same time, not with the number of open files. Any number of threads may use an object.
class DecodeMemory {
  public:
    using Scratch = FilterPipeline::Scratch;

    /// A decoded chunk that was read only in part: the next read most likely continues in it.
    struct Chunk {
        std::vector<hsize_t> offset;
        Buffer memory;
        std::span<std::byte> bytes;
    };

    /// `num_data_sets` is the number of data sets that the readers of one file read.
    explicit DecodeMemory(std::size_t num_data_sets = 1) : num_data_sets_(num_data_sets) {}

    /// Returns working memory for one thread, until give_back().
    std::unique_ptr<Scratch> take_scratch();
    void give_back(std::unique_ptr<Scratch> scratch);

    /// The chunk that `reader` kept last, if it is the one at `offset` and was not dropped since; else null.
    std::shared_ptr<const Chunk> kept(const void* reader, const std::vector<hsize_t>& offset);
    /// Keeps a chunk, instead of the one that `reader` kept last. Keeps at most `num_data_sets` chunks per thread, for
    /// the largest number of threads that ever read at the same time.
    void keep(const void* reader, std::shared_ptr<const Chunk> chunk);
    /// Drops the chunk of a reader. Readers call it when they are destroyed.
    void forget(const void* reader);

  private:
    struct Part {
        const void* reader;
        std::shared_ptr<const Chunk> chunk;
    };

    const std::size_t num_data_sets_;
    std::mutex mutex_;  ///< guards the members below
    std::vector<std::unique_ptr<Scratch>> idle_;
    std::size_t num_made_ = 0;  ///< scratches: the most threads that ever read at the same time
    std::vector<Part> parts_;   ///< at most one per reader; the most recent one last
};

}  // namespace crescendo::datasets
