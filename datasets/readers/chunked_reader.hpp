#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "datasets/hdf5/finding_driver.hpp"
#include "datasets/readers/chunk_grid.hpp"
#include "datasets/readers/decode_memory.hpp"
#include "datasets/readers/filter_pipeline.hpp"
#include "datasets/readers/sample_reader.hpp"

namespace crescendo::datasets {

/// Asks the library, under its lock, where chunks are. Reads and decodes them outside the lock, in as many threads as
/// call read_ranges(). If the file's driver does not give places (hdf5::Finder), the library reads, one chunk at a
/// time.
/// Bytes are as stored, in the file's byte order. DecodeMemory keeps between reads: up to three chunks per reading
/// thread, and the last chunk that was read only in part.
class ChunkedReader : public SampleReader {
  public:
    /// Returns nullptr if our own code cannot undo a filter of the data set.
    static std::unique_ptr<ChunkedReader> make(hid_t data_set, const Field& field, const std::string& name,
                                               std::shared_ptr<DecodeMemory> memory);
    ~ChunkedReader() override;

    void read_ranges(std::span<const Range> ranges, std::span<std::byte> out) const override;
    void announce_ranges(std::span<const Range> ranges) const override;

  private:
    using Offset = ChunkGrid::Offset;
    using Scratch = DecodeMemory::Scratch;
    using Chunk = DecodeMemory::Chunk;

    struct Stored {
        Offset offset;
        std::optional<hdf5::Finder::Piece> piece;  ///< none: only the library can read the chunk
        std::uint32_t mask = 0;                    ///< as FilterPipeline::decode takes it
    };

    ChunkedReader(hid_t data_set, ChunkGrid grid, FilterPipeline pipeline, std::string name,
                  std::shared_ptr<DecodeMemory> memory);

    std::vector<Stored> find(std::span<const Range> ranges) const;
    Stored find(const Offset& offset) const;
    bool is_plausible(std::uint64_t stored_bytes) const;
    void take(const Stored& stored, std::span<const Range> ranges, std::span<std::byte> out, Scratch& scratch) const;
    std::shared_ptr<const Chunk> chunk_at(const Stored& stored, Scratch& scratch) const;
    void load(const Stored& stored, std::span<std::byte> chunk, Scratch& scratch) const;
    void fetch_and_decode(const Stored& stored, std::span<std::byte> chunk, Scratch& scratch) const;
    void fetch_by_library(const Offset& offset, std::span<std::byte> chunk, Scratch& scratch) const;
    void read_by_library(const Offset& offset, std::span<std::byte> chunk) const;
    std::string place_of(const Offset& offset) const;

    hdf5::Handle data_set_;
    hdf5::Handle file_;  ///< keeps the descriptor open
    int descriptor_;     ///< the library's own, so that both see the same file; negative: only the library reads
    ChunkGrid grid_;
    FilterPipeline pipeline_;
    std::string name_;
    mutable Buffer unread_;  ///< target of library reads that Finder intercepts; guarded by the library's lock
    std::shared_ptr<DecodeMemory> memory_;
};

}  // namespace crescendo::datasets
