#include "trainer/protocol/base64.hpp"

#include <algorithm>
#include <stdexcept>

namespace crescendo::trainer {

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::uint32_t digit(char letter) {
    const auto value = alphabet.find(letter);
    if (value == std::string_view::npos) {
        throw std::invalid_argument("this is not base64");
    }
    return static_cast<std::uint32_t>(value);
}

}  // namespace

std::string encode_base64(const std::vector<std::uint8_t>& bytes) {
    std::string encoded;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = group << 8 | (k < count ? bytes[i + k] : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            encoded += k <= count ? alphabet[group >> (18 - 6 * k) & 63U] : '=';
        }
    }
    return encoded;
}

std::vector<std::uint8_t> decode_base64(std::string_view encoded) {
    if (encoded.size() % 4 != 0) {
        throw std::invalid_argument("this is not base64");
    }
    std::vector<std::uint8_t> bytes;
    for (; !encoded.empty(); encoded.remove_prefix(4)) {
        std::string_view group = encoded.substr(0, 4);
        while (group.size() > 2 && encoded.size() == 4 && group.back() == '=') {
            group.remove_suffix(1);
        }
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            bits = bits << 6 | (k < group.size() ? digit(group[k]) : 0U);
        }
        for (std::size_t k = 0; k + 1 < group.size(); ++k) {
            bytes.push_back(static_cast<std::uint8_t>(bits >> (16 - 8 * k)));
        }
    }
    return bytes;
}

}  // namespace crescendo::trainer
