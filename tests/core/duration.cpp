#include "core/duration.hpp"

#include <doctest/doctest.h>

using crescendo::parse_duration;
using std::chrono::seconds;

TEST_CASE("a duration is read with units or as a clock") {
    CHECK(parse_duration("30s") == seconds(30));
    CHECK(parse_duration("90m") == seconds(90 * 60));
    CHECK(parse_duration("8h") == seconds(8 * 3600));
    CHECK(parse_duration("1h30m") == seconds(5400));
    CHECK(parse_duration("2d12h5s") == seconds(60 * 3600 + 5));
    CHECK(parse_duration("01:02:03") == seconds(3723));
    CHECK(parse_duration("1-12:00:00") == seconds(36 * 3600));
    CHECK(parse_duration("120:00:00") == seconds(120 * 3600));
}

TEST_CASE("more than a hundred years count as a hundred years, which a clock can add to the current time") {
    const seconds century = std::chrono::days(36'500);

    CHECK(parse_duration("36499d23h") == century - seconds(3600));
    CHECK(parse_duration("200000d") == century);
    CHECK(parse_duration("200000-00:00:00") == century);
    CHECK(parse_duration("999999999:00:00") == century);
}

TEST_CASE("an ambiguous or meaningless text is not a duration") {
    for (const auto* text : {"", "8", "8x", "h", "1.5h", "-1h", "1h 30m", "30m1h", "1h1h", "1h30", "1:30", "1:2:3",
                             "00:60:00", "00:00:60", "00:00:0x", ":00:00", "00:00:00:00", "9999999999s"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_duration(text).has_value());
    }
}
