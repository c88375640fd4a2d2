#include "trainer/protocol/base64.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace crescendo::trainer;

namespace {

std::vector<std::uint8_t> bytes(const std::string& text) { return {text.begin(), text.end()}; }

}  // namespace

TEST_CASE("base64 matches the test vectors of RFC 4648") {
    CHECK(encode_base64(bytes("")) == "");
    CHECK(encode_base64(bytes("f")) == "Zg==");
    CHECK(encode_base64(bytes("fo")) == "Zm8=");
    CHECK(encode_base64(bytes("foo")) == "Zm9v");
    CHECK(encode_base64(bytes("foobar")) == "Zm9vYmFy");
}

TEST_CASE("base64 preserves every byte at every position of a group") {
    for (std::size_t length = 0; length < 4; ++length) {
        for (int value = 0; value < 256; ++value) {
            std::vector<std::uint8_t> original(length + 1, static_cast<std::uint8_t>(value));
            original.front() = 1;

            CHECK(decode_base64(encode_base64(original)) == original);
        }
    }
}

TEST_CASE("invalid base64 is refused") {
    CHECK_THROWS_AS(decode_base64("Zg="), std::invalid_argument);
    CHECK_THROWS_AS(decode_base64("Z==="), std::invalid_argument);
    CHECK_THROWS_AS(decode_base64("Zm9v!m9v"), std::invalid_argument);
    CHECK_THROWS_AS(decode_base64("Zg==Zg=="), std::invalid_argument);
}
