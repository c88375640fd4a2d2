#include "launch/json/bare_words.hpp"

#include <doctest/doctest.h>

using crescendo::launch::without_bare_words;

TEST_CASE("Python's words for numbers that are not finite become null, except in texts") {
    CHECK(without_bare_words(R"({"a":NaN,"b":[-Infinity,Infinity,-1]})") == R"({"a":null,"b":[null,null,-1]})");
    CHECK(without_bare_words(R"({"NaN":"say \"NaN\" \\","b":NaN})") == R"({"NaN":"say \"NaN\" \\","b":null})");
    CHECK(without_bare_words(R"({"a":nan,"b":[-inf,inf,-nan],"nan":"inf"})") ==
          R"({"a":null,"b":[null,null,null],"nan":"inf"})");
    CHECK(without_bare_words(R"("torn \)") == R"("torn \)");
    CHECK(without_bare_words(R"(["inf",-inf])", "0") == R"(["inf",0])");
}
