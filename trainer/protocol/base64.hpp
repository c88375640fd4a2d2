#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crescendo::trainer {

/// Encodes as base64 (RFC 4648, section 4), with padding.
std::string encode_base64(const std::vector<std::uint8_t>& bytes);

/// Decodes base64. Throws std::invalid_argument if `encoded` is not base64.
std::vector<std::uint8_t> decode_base64(std::string_view encoded);

}  // namespace crescendo::trainer
