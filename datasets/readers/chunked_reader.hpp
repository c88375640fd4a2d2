#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "datasets/readers/chunk_grid.hpp"
#include "datasets/readers/filter_pipeline.hpp"
#include "datasets/readers/sample_reader.hpp"

namespace crescendo::datasets {

/// Fetches chunks as they are stored, one call at a time under the library's lock. Decodes them outside the lock, in as
/// many threads as call read().
///
/// Bytes are as stored, in the file's byte order. Holds up to three chunks for each thread that reads. It also keeps
/// the last chunk of which only a part was read, because the next read most likely continues in it.
class ChunkedReader : public SampleReader {
  public:
    /// Returns nullptr if our own code cannot undo a filter of the data set.
    static std::unique_ptr<ChunkedReader> make(hid_t data_set, const Field& field, const std::string& name);

    void read(std::int64_t begin, std::int64_t count, std::span<std::byte> out) const override;

  private:
    using Offset = ChunkGrid::Offset;
    using Scratch = FilterPipeline::Scratch;

    struct Chunk {
        Offset offset;
        Buffer memory;
        std::span<std::byte> bytes;
    };

    ChunkedReader(hid_t data_set, ChunkGrid grid, FilterPipeline pipeline, std::string name);

    std::shared_ptr<const Chunk> chunk_at(const Offset& offset, Scratch& scratch) const;
    void load(const Offset& offset, std::span<std::byte> chunk, Scratch& scratch) const;
    void fetch_and_decode(const Offset& offset, std::span<std::byte> chunk, Scratch& scratch) const;
    void read_by_library(const Offset& offset, std::span<std::byte> chunk) const;
    std::string place_of(const Offset& offset) const;

    std::unique_ptr<Scratch> take_scratch() const;
    void give_back(std::unique_ptr<Scratch> scratch) const;

    hdf5::Handle data_set_;
    ChunkGrid grid_;
    FilterPipeline pipeline_;
    std::string name_;

    mutable std::mutex mutex_;  ///< guards the next two members
    mutable std::vector<std::unique_ptr<Scratch>> idle_scratch_;
    mutable std::shared_ptr<const Chunk> last_part_;
};

}  // namespace crescendo::datasets
