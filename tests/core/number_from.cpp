#include "core/number_from.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

using namespace crescendo;

TEST_CASE("a number is the whole text") {
    CHECK(number_from<int>("12") == 12);
    CHECK(number_from<int>("-3") == -3);
    CHECK(number_from<double>("2.5e-3") == 2.5e-3);

    for (const char* text : {"", " ", "1 ", " 1", "+1", "1x", "0x1", "one", "-"}) {
        CAPTURE(text);
        CHECK_FALSE(number_from<int>(text));
        CHECK_FALSE(number_from<double>(text));
    }
    CHECK_FALSE(number_from<int>("1.5"));
}

TEST_CASE("a number that its type cannot hold is refused") {
    CHECK(number_from<std::uint16_t>("65535") == 65535);
    CHECK_FALSE(number_from<std::uint16_t>("65536"));
    CHECK_FALSE(number_from<unsigned>("-1"));
    CHECK_FALSE(number_from<std::int64_t>("9223372036854775808"));  // 2^63
    CHECK_FALSE(number_from<double>("1e999"));
}

TEST_CASE("a double may be infinite") {
    CHECK(number_from<double>("inf") == std::numeric_limits<double>::infinity());
    CHECK_FALSE(number_from<int>("inf"));
}
