#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace crescendo {

/// CRC-32 of IEEE 802.3 (reflected polynomial 0xEDB88320), as in zlib and PNG. `before` is the CRC of the bytes before
/// these.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

/// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78), as in iSCSI and TFRecord.
std::uint32_t crc32c(std::string_view bytes);

/// The CRC-32 as eight hexadecimal digits: "cbf43926".
std::string crc32_text(std::string_view bytes);

}  // namespace crescendo
