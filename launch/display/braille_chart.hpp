#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace crescendo::launch {

/// A chart on a terminal: lines of dots, eight to a character (Unicode's braille patterns).
struct BrailleChart {
    using Line = std::vector<std::pair<double, double>>;  ///< points (x, y) in ascending order of x; y is finite

    std::string title;
    std::vector<Line> lines;
    double low = 0;   ///< lower end of the y axis; what is beyond an end is drawn at it
    double high = 1;  ///< upper end of the y axis
    std::string left_label;   ///< text below the smallest x
    std::string right_label;  ///< text below the largest x

    /// The picture: `width` columns, and `height` lines at least 4, with title and axes.
    std::vector<std::string> draw(std::size_t width, std::size_t height) const;
};

/// The points of a line that keeps each value until the next, and the last one until `end`.
BrailleChart::Line steps(const BrailleChart::Line& points, double end);

}  // namespace crescendo::launch
