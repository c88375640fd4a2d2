#include "launch/display/display_width.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace crescendo::launch;

TEST_CASE("wide characters take two columns, and combining accents take none") {
    CHECK(display_width("") == 0);
    CHECK(display_width("lr") == 2);
    CHECK(display_width("学習率") == 6);
    CHECK(display_width("🚀") == 2);
    CHECK(display_width("größe") == 5);
    CHECK(display_width("e\u0301") == 1);
}

TEST_CASE("text that is not UTF-8 has a width too") {
    CHECK(display_width("gr\xF6\xDF"
                        "e") == 5);
    CHECK(display_width(std::string("\xE5\xAD")) == 1);  // two of three bytes
}

TEST_CASE("text is cut before the first character that does not fit in the line") {
    CHECK(fitting("学習率", 6) == "学習率");
    CHECK(fitting("学習率", 5) == "学習");
    CHECK(fitting("学習率", 1) == "");
    CHECK(fitting("lr=0.1", 2) == "lr");
    CHECK(fitting("e\u0301e", 1) == "e\u0301");
}
