#include "launch/display/braille_chart.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace crescendo::launch;

TEST_CASE("a line goes from the lower left dot to the upper right one") {
    const BrailleChart chart{"t", {{{0, 0}, {1, 1}}}, 0, 1, "a", "b"};

    const auto picture = chart.draw(20, 4);  // one row of ten characters

    REQUIRE(picture.size() == 4);
    CHECK(picture[0] == "t");
    CHECK(picture[1].starts_with("       1 ┤⣀"));
    CHECK(picture[1].ends_with("⠉"));
    CHECK(picture[2] == "         └──────────");
    CHECK(picture[3] == "          a        b");
}

TEST_CASE("values beyond the ends of the axis are drawn at its ends") {
    const BrailleChart chart{"t", {{{0, -5}, {1, 1e300}}}, 0, 1, "", ""};

    CHECK(chart.draw(20, 5)[1].ends_with("⠉"));
}

TEST_CASE("the largest possible numbers are drawn at the ends of the axis, and NaN at its beginning") {
    const double huge = 1.7e308;
    const BrailleChart chart{"t", {{{-huge, -huge}, {huge, huge}}}, -huge, huge, "", ""};
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const BrailleChart without{"t", {{{0, nan}, {1, 1}}}, 0, 1, "", ""};

    for (const auto& picture : {chart.draw(20, 4), without.draw(20, 4)}) {
        CHECK(picture[1].find("┤⣀") != std::string::npos);
        CHECK(picture[1].ends_with("⠉"));
    }
}

TEST_CASE("one point, equal values and no points can be drawn") {
    CHECK(BrailleChart{"t", {{{3, 2}}}, 2, 2, "", ""}.draw(20, 4).size() == 4);
    CHECK(BrailleChart{"t", {{}}, 0, 1, "", ""}.draw(20, 4) ==
          std::vector<std::string>{"t", "  nothing to draw yet"});
}

TEST_CASE("the labels of an axis differ and have the room that they need") {
    const BrailleChart close{"t", {{{0, 1234.501}, {1, 1234.508}}}, 1234.501, 1234.508, "", ""};
    const BrailleChart far{"t", {{{0, -1234567}, {1, 1}}}, -1234567, 1, "a", "b"};

    CHECK(close.draw(40, 5)[1].starts_with("1234.508 ┤"));
    CHECK(close.draw(40, 5)[2].starts_with("1234.501 ┤"));
    CHECK(far.draw(40, 5)[1].starts_with("         1 ┤"));
    CHECK(far.draw(40, 5)[2].starts_with("-1.235e+06 ┤"));
    CHECK(far.draw(40, 5)[3].starts_with("           └─"));
}

TEST_CASE("steps keep a value until the next one, and the last one to the end") {
    CHECK(steps({{0, 1}, {2, 3}}, 5) == BrailleChart::Line{{0, 1}, {2, 1}, {2, 3}, {5, 3}});
    CHECK(steps({}, 5).empty());
}
