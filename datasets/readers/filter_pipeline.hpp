#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "datasets/readers/codecs.hpp"

namespace crescendo::datasets {

/// Uninitialised memory that grows to the largest size ever asked for.
class Buffer {
  public:
    std::span<std::byte> of(std::size_t bytes);

  private:
    std::unique_ptr<std::byte[]> bytes_;
    std::size_t capacity_ = 0;
};

/// The filters that were applied when the chunks of a data set were written; decode() undoes them in reverse order.
///
/// Does not use the HDF5 library, so any number of threads may decode at the same time.
class FilterPipeline {
  public:
    struct Stage {
        int id = 0;  ///< as registered with the HDF Group: 1 deflate, 2 shuffle, 3 fletcher32 …
        std::vector<unsigned> parameters = {};
    };

    /// Makes a pipeline from its stages, in the order of writing, for chunks of `chunk_bytes`. Returns std::nullopt if
    /// our own code cannot undo them: a filter is not built in, or there are two compressions and the size between them
    /// is not known.
    static std::optional<FilterPipeline> make(std::vector<Stage> stages, std::size_t chunk_bytes);

    /// Whether the filter `id` is built in.
    static bool knows(int id);

    bool empty() const { return stages_.empty(); }
    std::size_t chunk_bytes() const { return chunk_bytes_; }

    /// Working memory of one decoding thread, reused from chunk to chunk: at most two chunks.
    struct Scratch {
        Buffer stored;  ///< for the caller: the bytes of a chunk as stored
        Buffer stages[2];
        codecs::Inflater inflater;
    };

    /// Decodes the stored bytes of a chunk into `chunk`, which has chunk_bytes(). If bit k of `mask` is set, stage k
    /// was skipped when this chunk was written. Throws DamagedFile that says what is wrong with the bytes.
    void decode(std::span<const std::byte> stored, std::uint32_t mask, std::span<std::byte> chunk,
                Scratch& scratch) const;

  private:
    FilterPipeline(std::vector<Stage> stages, std::size_t chunk_bytes);

    enum class Kind { transform, checksum };
    std::size_t num_before(std::size_t stage, std::uint32_t mask, Kind kind) const;

    std::vector<Stage> stages_;
    std::size_t chunk_bytes_;
};

}  // namespace crescendo::datasets
