#include "core/crc32.hpp"

#include <array>

namespace crescendo {
namespace {

/// Entry i of table k: the remainder of the byte i, followed by k bytes of zeros. The polynomial is reflected.
constexpr std::array<std::array<std::uint32_t, 256>, 8> make_tables(std::uint32_t polynomial) {
    std::array<std::array<std::uint32_t, 256>, 8> tables{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t remainder = i;
        for (int bit = 0; bit < 8; ++bit) {
            remainder = (remainder >> 1) ^ ((remainder & 1U) != 0 ? polynomial : 0U);
        }
        tables[0][i] = remainder;
    }
    for (std::size_t k = 1; k < tables.size(); ++k) {
        for (std::size_t i = 0; i < 256; ++i) {
            tables[k][i] = (tables[k - 1][i] >> 8) ^ tables[0][tables[k - 1][i] & 0xFFU];
        }
    }
    return tables;
}

std::uint32_t byte_of(std::string_view bytes, std::size_t i) { return static_cast<unsigned char>(bytes[i]); }

/// Takes eight bytes at a time ("slicing by 8", Kounavis and Berry 2005), so that checking the journal's lines takes no
/// longer than parsing them.
template <std::uint32_t polynomial>
std::uint32_t crc(std::string_view bytes, std::uint32_t before) {
    static constexpr auto tables = make_tables(polynomial);
    std::uint32_t remainder = ~before;
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
        std::uint32_t next = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            const auto byte = byte_of(bytes, i) ^ (i < 4 ? (remainder >> (8 * i)) & 0xFFU : 0U);
            next ^= tables[7 - i][byte];
        }
        remainder = next;
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        remainder = (remainder >> 8) ^ tables[0][(remainder ^ byte_of(bytes, i)) & 0xFFU];
    }
    return ~remainder;
}

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) { return crc<0xEDB88320U>(bytes, before); }

std::uint32_t crc32c(std::string_view bytes) { return crc<0x82F63B78U>(bytes, 0); }

std::string crc32_text(std::string_view bytes) {
    const auto crc = crc32(bytes);
    std::string digits;
    for (int shift = 28; shift >= 0; shift -= 4) {
        digits += "0123456789abcdef"[(crc >> shift) & 0xFU];
    }
    return digits;
}

}  // namespace crescendo
