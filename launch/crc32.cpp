#include "launch/crc32.hpp"

#include <array>

namespace crescendo::launch {
namespace {

/// Entry i: the remainder of the byte i.
constexpr std::array<std::uint32_t, 256> make_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        std::uint32_t remainder = i;
        for (int bit = 0; bit < 8; ++bit) {
            remainder = (remainder >> 1) ^ ((remainder & 1U) != 0 ? 0xEDB88320U : 0U);
        }
        table[i] = remainder;
    }
    return table;
}

constexpr auto table = make_table();

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
    std::uint32_t remainder = 0xFFFFFFFFU;
    for (const char byte : bytes) {
        remainder = (remainder >> 8) ^ table[(remainder ^ static_cast<unsigned char>(byte)) & 0xFFU];
    }
    return ~remainder;
}

}  // namespace crescendo::launch
