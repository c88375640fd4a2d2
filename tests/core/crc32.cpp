#include "core/crc32.hpp"

#include <doctest/doctest.h>

using crescendo::crc32;
using crescendo::crc32_text;
using crescendo::crc32c;

TEST_CASE("the CRC-32 has its published check values") {
    CHECK(crc32("123456789") == 0xCBF43926U);
    CHECK(crc32_text("123456789") == "cbf43926");
    CHECK(crc32("6789", crc32("12345")) == 0xCBF43926U);
    CHECK(crc32("") == 0U);
    CHECK(crc32_text("") == "00000000");
    CHECK(crc32("The quick brown fox jumps over the lazy dog") == 0x414FA339U);
}

TEST_CASE("CRC-32C has the values of RFC 3720") {
    CHECK(crc32c("123456789") == 0xE3069283U);
    CHECK(crc32c(std::string(32, '\0')) == 0x8A9136AAU);
}
