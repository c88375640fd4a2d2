#include "launch/display/line_chart.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <sstream>

#include "tests/count.hpp"

using namespace crescendo::launch;
using crescendo::tests::count;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Whether every tag of an XML text is closed in its place. The chart has no comments, and no entities except those of
/// escaped().
bool is_balanced(const std::string& xml) {
    std::vector<std::string> open;
    for (auto at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
        const auto end = xml.find('>', at);
        if (end == std::string::npos) {
            return false;
        }
        std::string tag = xml.substr(at + 1, end - at - 1);
        if (tag.ends_with('/')) {
            continue;
        }
        std::string name;
        std::istringstream(tag) >> name;
        if (!name.starts_with('/')) {
            open.push_back(name);
        } else if (open.empty() || "/" + open.back() != name) {
            return false;
        } else {
            open.pop_back();
        }
    }
    return open.empty();
}

const std::vector<ChartPanel> two_panels{
    {"time (s)", {{"a<b", {{1, 0.5, 0.4, 0.6}, {3, 0.8, 0.7, infinity}}}, {"c & d", {{2, 0.6, -infinity, 0.6}}}}},
    {"slot-hours", {{"a<b", {{10, 0.5, 0.4, 0.6}}}, {"c & d", {}}}},
};

}  // namespace

TEST_CASE("a chart is XML with a line and a band for each method that has points, and one legend") {
    const auto chart = line_chart("quality over cost", "accuracy", two_panels);

    CHECK(is_balanced(chart));
    CHECK(count(chart, " band'") == 3);
    CHECK(count(chart, "<path class='c0 line'") == 3);  // two panels and the legend
    CHECK(count(chart, "<path class='c1 line'") == 2);  // without points in the second panel
    CHECK(count(chart, "a&lt;b</text>") == 1);
    CHECK(count(chart, "c &amp; d</text>") == 1);
    CHECK(count(chart, ">time (s)</text>") == 1);
    CHECK(count(chart, ">accuracy</text>") == 1);
    CHECK(count(chart, "@media screen and (prefers-color-scheme:dark)") == 1);
    CHECK(chart.find("nan") == std::string::npos);
    CHECK(chart.find("inf") == std::string::npos);
}

TEST_CASE("a diverged first value does not squeeze all later ones") {
    const auto chart = line_chart("t", "y", {{"x", {{"a", {{1, 1e30}, {2, 2}, {3, 1.5}, {4, 0.5}}}}}});

    CHECK(count(chart, ">1.5</text>") == 1);
    CHECK(chart.find("e+") == std::string::npos);
}

TEST_CASE("all ticks of rewards from 12000 to 12010 once were 1.2e+04") {
    const auto chart = line_chart("t", "y", {{"x", {{"a", {{1, 12000}, {2, 12010}}}}}});
    const auto narrow = line_chart("t", "y", {{"x", {{"a", {{1, 0.98761}, {2, 0.98763}}}}}});

    CHECK(count(chart, ">12002</text>") == 1);
    CHECK(count(chart, ">12004</text>") == 1);
    CHECK(count(narrow, ">0.987615</text>") == 1);
}

TEST_CASE("names with characters that XML forbids are made valid") {
    const auto chart = line_chart("\x01 \xff", "y", {{"x", {{"\x1b[0m\xc3", {}}}}});

    CHECK(is_balanced(chart));
    CHECK(chart.find('\x1b') == std::string::npos);
    CHECK(chart.find('\xff') == std::string::npos);
}

TEST_CASE("a chart without points is valid XML") {
    CHECK(is_balanced(line_chart("t", "y", {{"x", {}}})));
    CHECK(is_balanced(line_chart("t", "y", {})));
}

TEST_CASE("ticks are round numbers within the range") {
    CHECK(chart_ticks(0, 10) == std::vector<double>{0, 2, 4, 6, 8, 10});
    CHECK(chart_ticks(0, 1.02) == std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1});
    CHECK(chart_ticks(-1, 1) == std::vector<double>{-1, -0.5, 0, 0.5, 1});
    CHECK(chart_ticks(3, 3) == std::vector<double>{3});
    for (double high = 1; high < 10; high += 0.01) {
        CHECK(chart_ticks(0, high).size() >= 3);
        CHECK(chart_ticks(0, high).size() <= 7);
    }
    CHECK(chart_ticks(1e17, 1e17 + 16).size() <= 7);  // beyond this, doubles are more than 1 apart
}
