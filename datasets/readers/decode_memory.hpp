#pragma once

#include <hdf5.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "datasets/readers/filter_pipeline.hpp"

namespace crescendo::datasets {

/// What the readers of a set keep from one read to the next. They share it, so that it grows with the threads that read
/// at a time, and not with the files that are open. Any number of threads may use an object.
class DecodeMemory {
  public:
    using Scratch = FilterPipeline::Scratch;

    /// A decoded chunk, of which only a part was read: the next read most likely continues in it.
    struct Chunk {
        std::vector<hsize_t> offset;
        Buffer memory;
        std::span<std::byte> bytes;
    };

    /// Readers of one file read `num_data_sets` data sets.
    explicit DecodeMemory(std::size_t num_data_sets = 1) : num_data_sets_(num_data_sets) {}

    /// Working memory for one thread, until it gives it back.
    std::unique_ptr<Scratch> take_scratch();
    void give_back(std::unique_ptr<Scratch> scratch);

    /// The chunk that `reader` kept last, if it lies at `offset` and was not given up since; else null.
    std::shared_ptr<const Chunk> kept(const void* reader, const std::vector<hsize_t>& offset);
    /// Keeps a chunk in place of the one that `reader` kept last. Of all readers, as many chunks are kept as the
    /// threads that ever read at a time have data sets.
    void keep(const void* reader, std::shared_ptr<const Chunk> chunk);
    /// A reader that goes gives up its chunk.
    void forget(const void* reader);

  private:
    struct Part {
        const void* reader;
        std::shared_ptr<const Chunk> chunk;
    };

    const std::size_t num_data_sets_;
    std::mutex mutex_;  ///< guards the following
    std::vector<std::unique_ptr<Scratch>> idle_;
    std::size_t num_made_ = 0;  ///< scratches: as many as threads that ever read at a time
    std::vector<Part> parts_;   ///< at most one for each reader, the one kept last at the end
};

}  // namespace crescendo::datasets
