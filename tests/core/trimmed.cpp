#include "core/trimmed.hpp"

#include <doctest/doctest.h>

using crescendo::trimmed;

TEST_CASE("blanks are cut off at both ends, but not within") {
    CHECK(trimmed("  a b ") == "a b");
    CHECK(trimmed("a") == "a");
    CHECK(trimmed("   ").empty());
    CHECK(trimmed("").empty());
    CHECK(trimmed("\t a\r") == "\t a\r");
    CHECK(trimmed("\t a\r", " \t\r") == "a");
}
