#include "datasets/readers/codecs.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

#include "core/check.hpp"

#ifdef CRESCENDO_LIBDEFLATE
#include <libdeflate.h>
#else
#include <zlib.h>
#endif
#ifdef CRESCENDO_ZSTD
#include <zstd.h>
#endif
#ifdef CRESCENDO_LZ4
#include <lz4.h>
#endif
#ifdef CRESCENDO_BLOSC
#include <blosc.h>
#endif

namespace crescendo::datasets::codecs {
namespace {

[[noreturn]] void damaged(const char* format) { throw DamagedFile(text("its {} stream is damaged", format)); }

void copy(std::span<const std::byte> in, std::span<std::byte> out) {
    CRESCENDO_EXPECT(in.size() == out.size());
    if (!in.empty()) {
        std::memcpy(out.data(), in.data(), in.size());
    }
}

/// With a fixed element size, the compiler turns the loop into byte interleaving.
template <std::size_t size>
void interleave(const std::byte* __restrict in, std::byte* __restrict out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            out[i * size + j] = in[j * n + i];
        }
    }
}

}  // namespace

#ifdef CRESCENDO_LIBDEFLATE

struct Inflater::State {
    libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
};

Inflater::Inflater() : state_(std::make_unique<State>()) {
    if (state_->decompressor == nullptr) {
        throw std::bad_alloc();
    }
}
Inflater::~Inflater() { libdeflate_free_decompressor(state_->decompressor); }

void Inflater::decode(std::span<const std::byte> in, std::span<std::byte> out) {
    // Without a size argument, the library reports any number of bytes other than out.size() as an error.
    if (libdeflate_zlib_decompress(state_->decompressor, in.data(), in.size(), out.data(), out.size(), nullptr) !=
        LIBDEFLATE_SUCCESS) {
        damaged("deflate");
    }
}

#else

struct Inflater::State {};

Inflater::Inflater() = default;
Inflater::~Inflater() = default;

void Inflater::decode(std::span<const std::byte> in, std::span<std::byte> out) {
    uLongf size = out.size();
    const int status =
        uncompress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(in.data()), in.size());
    if (status != Z_OK || size != out.size()) {
        damaged("deflate");
    }
}

#endif

void unshuffle(std::span<const std::byte> in, std::span<std::byte> out, std::size_t element_bytes) {
    CRESCENDO_EXPECT(in.size() == out.size() && element_bytes >= 1);
    const auto n = in.size() / element_bytes;
    switch (element_bytes) {
        case 2:
            interleave<2>(in.data(), out.data(), n);
            break;
        case 4:
            interleave<4>(in.data(), out.data(), n);
            break;
        case 8:
            interleave<8>(in.data(), out.data(), n);
            break;
        default:
            for (std::size_t j = 0; j < element_bytes; ++j) {
                for (std::size_t i = 0; i < n; ++i) {
                    out[i * element_bytes + j] = in[j * n + i];
                }
            }
    }
    copy(in.subspan(n * element_bytes), out.subspan(n * element_bytes));
}

std::span<const std::byte> verify_fletcher32(std::span<const std::byte> in) {
    constexpr std::size_t sum_bytes = 4;
    if (in.size() < sum_bytes) {
        throw DamagedFile(text("its {} bytes are too few for a checksum", in.size()));
    }
    const auto data = in.first(in.size() - sum_bytes);
    const auto byte = [](std::byte value) { return std::to_integer<std::uint32_t>(value); };

    std::uint32_t first = 0;
    std::uint32_t second = 0;
    const auto fold = [](std::uint32_t sum) { return (sum & 0xFFFF) + (sum >> 16); };
    const auto num_words = data.size() / 2;
    for (std::size_t word = 0; word < num_words;) {
        // As many words as cannot overflow the second sum.
        for (const auto end = std::min(num_words, word + 360); word < end; ++word) {
            first += byte(data[2 * word]) << 8 | byte(data[2 * word + 1]);
            second += first;
        }
        first = fold(first);
        second = fold(second);
    }
    if (data.size() % 2 != 0) {
        first += byte(data.back()) << 8;
        second = fold(second + first);
        first = fold(first);
    }
    first = fold(first);
    second = fold(second);

    const auto sum = second << 16 | first;
    std::uint32_t stored = 0;
    for (std::size_t i = 0; i < sum_bytes; ++i) {
        stored |= byte(in[data.size() + i]) << 8 * i;
    }
    // HDF5 before 1.6.3 swapped the bytes of each half on some machines, and readers still accept that.
    const auto swapped = (stored & 0x00FF00FF) << 8 | (stored & 0xFF00FF00) >> 8;
    if (sum != stored && sum != swapped) {
        throw DamagedFile("its checksum (fletcher32) does not match its bytes");
    }
    return data;
}

void decode_lzf(std::span<const std::byte> in, std::span<std::byte> out) {
    std::size_t from = 0;
    std::size_t to = 0;
    const auto next = [&] {
        if (from == in.size()) {
            damaged("lzf");
        }
        return std::to_integer<std::size_t>(in[from++]);
    };
    while (from < in.size()) {
        const auto control = next();
        if (control < 32) {  // a run of control + 1 literal bytes
            const auto length = control + 1;
            if (length > in.size() - from || length > out.size() - to) {
                damaged("lzf");
            }
            copy(in.subspan(from, length), out.subspan(to, length));
            from += length;
            to += length;
            continue;
        }
        auto length = control >> 5;
        if (length == 7) {
            length += next();
        }
        length += 2;
        const auto distance = ((control & 31) << 8 | next()) + 1;
        if (distance > to || length > out.size() - to) {
            damaged("lzf");
        }
        for (; length > 0; --length, ++to) {  // source and target may overlap
            out[to] = out[to - distance];
        }
    }
    if (to != out.size()) {
        damaged("lzf");
    }
}

#ifdef CRESCENDO_ZSTD
void decode_zstd(std::span<const std::byte> in, std::span<std::byte> out) {
    if (ZSTD_decompress(out.data(), out.size(), in.data(), in.size()) != out.size()) {
        damaged("zstd");
    }
}
#endif

#ifdef CRESCENDO_LZ4
namespace {

/// Takes an unsigned big-endian number off the front of `in`.
template <class Unsigned>
Unsigned take_number(std::span<const std::byte>& in) {
    if (in.size() < sizeof(Unsigned)) {
        damaged("lz4");
    }
    Unsigned value = 0;
    for (const auto byte : in.first(sizeof(Unsigned))) {
        value = value << 8 | std::to_integer<Unsigned>(byte);
    }
    in = in.subspan(sizeof(Unsigned));
    return value;
}

}  // namespace

void decode_lz4(std::span<const std::byte> in, std::span<std::byte> out) {
    const auto total = take_number<std::uint64_t>(in);
    const auto block = take_number<std::uint32_t>(in);
    if (total != out.size() || block == 0 || block > LZ4_MAX_INPUT_SIZE) {
        damaged("lz4");
    }
    while (!out.empty()) {
        const auto size = std::min<std::size_t>(block, out.size());
        const auto stored = take_number<std::uint32_t>(in);
        if (stored > in.size()) {
            damaged("lz4");
        }
        if (stored == size) {
            copy(in.first(size), out.first(size));
        } else if (LZ4_decompress_safe(reinterpret_cast<const char*>(in.data()), reinterpret_cast<char*>(out.data()),
                                       static_cast<int>(stored), static_cast<int>(size)) != static_cast<int>(size)) {
            damaged("lz4");
        }
        in = in.subspan(stored);
        out = out.subspan(size);
    }
}
#endif

#ifdef CRESCENDO_BLOSC
void decode_blosc(std::span<const std::byte> in, std::span<std::byte> out) {
    std::size_t size = 0;
    constexpr int num_threads = 1;
    const bool valid = blosc_cbuffer_validate(in.data(), in.size(), &size) >= 0 && size == out.size();
    if (!valid ||
        (size > 0 && blosc_decompress_ctx(in.data(), out.data(), out.size(), num_threads) != static_cast<int>(size))) {
        damaged("blosc");
    }
}
#endif

}  // namespace crescendo::datasets::codecs
