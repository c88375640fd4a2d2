#pragma once

#include <cstddef>
#include <memory>
#include <span>

/// What HDF5's filters do to the bytes of a chunk, undone without the library and so without its lock.
///
/// Each function fills `out` exactly. Where the bytes do not give that many, or are damaged, it throws
/// DamagedFile that says what is wrong with them. None reads or writes outside its spans, whatever they hold.
namespace crescendo::datasets::codecs {

/// Undoes deflate (a zlib stream). Keeps its working memory from call to call; one thread at a time.
class Inflater {
  public:
    Inflater();
    ~Inflater();
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    void decode(std::span<const std::byte> in, std::span<std::byte> out);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Byte j of element i lies at j·n + i of `in`, n being the whole elements; bytes beyond these are as they were.
void unshuffle(std::span<const std::byte> in, std::span<std::byte> out, std::size_t element_bytes);

/// The four bytes at the end of `in` are the checksum of those before, which are returned.
std::span<const std::byte> verify_fletcher32(std::span<const std::byte> in);

/// h5py's `lzf`.
void decode_lzf(std::span<const std::byte> in, std::span<std::byte> out);

#ifdef CRESCENDO_ZSTD
void decode_zstd(std::span<const std::byte> in, std::span<std::byte> out);
#endif

#ifdef CRESCENDO_LZ4
/// Framed as by the filter 32004: blocks that are each compressed by LZ4 or stored.
void decode_lz4(std::span<const std::byte> in, std::span<std::byte> out);
#endif

#ifdef CRESCENDO_BLOSC
void decode_blosc(std::span<const std::byte> in, std::span<std::byte> out);
#endif

}  // namespace crescendo::datasets::codecs
