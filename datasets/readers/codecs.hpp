#pragma once

#include <cstddef>
#include <memory>
#include <span>

/// Undoes HDF5's filters on a chunk's bytes without the library, and thus without its lock.
/// Each function fills `out` exactly. If the input decodes to fewer or more bytes, or is damaged, the function throws
/// DamagedFile that says what is wrong. No input makes a function read or write outside its spans.
namespace crescendo::datasets::codecs {

/// Undoes deflate (a zlib stream). Keeps its working memory between calls. One thread at a time may use it.
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

/// Undoes shuffle: byte j of element i is at j·n + i of `in`, where n is the number of whole elements. Bytes after
/// these are unchanged.
void unshuffle(std::span<const std::byte> in, std::span<std::byte> out, std::size_t element_bytes);

/// Checks the last four bytes of `in`, which are the checksum of the bytes before them, and returns those bytes.
std::span<const std::byte> verify_fletcher32(std::span<const std::byte> in);

/// Undoes h5py's `lzf`.
void decode_lzf(std::span<const std::byte> in, std::span<std::byte> out);

#ifdef CRESCENDO_ZSTD
void decode_zstd(std::span<const std::byte> in, std::span<std::byte> out);
#endif

#ifdef CRESCENDO_LZ4
/// Undoes LZ4 in the framing of filter 32004: blocks, each compressed by LZ4 or stored.
void decode_lz4(std::span<const std::byte> in, std::span<std::byte> out);
#endif

#ifdef CRESCENDO_BLOSC
void decode_blosc(std::span<const std::byte> in, std::span<std::byte> out);
#endif

}  // namespace crescendo::datasets::codecs
