#include "launch/system/environment.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

#include "core/check.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using std::chrono::seconds;

TEST_CASE("a time-out in the environment is a number of seconds, and any other text is an error") {
    const auto read = [] { return seconds_of_environment("CRESCENDO_TEST_SECONDS", seconds(30)); };
    CHECK(read() == seconds(30));

    ::setenv("CRESCENDO_TEST_SECONDS", "120", 1);
    CHECK(read() == seconds(120));

    for (const char* text : {"10m", "off", "", "0", "-1", "99999999999"}) {
        CAPTURE(text);
        ::setenv("CRESCENDO_TEST_SECONDS", text, 1);
        CHECK_THROWS_WITH_AS(read(), doctest::Contains("is not a number of seconds"), InvalidInput);
    }
    ::unsetenv("CRESCENDO_TEST_SECONDS");
}
