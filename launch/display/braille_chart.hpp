#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace crescendo::launch {

/// A chart for a terminal, made of dots, eight per character (Unicode's braille patterns).
struct BrailleChart {
    using Line = std::vector<std::pair<double, double>>;  ///< points (x, y) in ascending order of x; y is finite

    std::string title;
    std::vector<Line> lines;
    double low = 0;   ///< lower end of the y axis; values outside the axis are drawn at its nearest end
    double high = 1;  ///< upper end of the y axis
    std::string left_label;   ///< text below the smallest x
    std::string right_label;  ///< text below the largest x

    /// The picture as lines of text, with title and axes: `width` columns and `height` lines, at least 4.
    std::vector<std::string> draw(std::size_t width, std::size_t height) const;
};

/// A step line: each value holds until the next point, and the last one until `end`.
BrailleChart::Line steps(const BrailleChart::Line& points, double end);

}  // namespace crescendo::launch
