#pragma once

#include <string>
#include <vector>

namespace crescendo::launch {

/// A value, and the band around it, from `x` to the next point.
struct ChartPoint {
    double x = 0;
    double y = 0;
    double low = 0;   ///< lower edge of the band; may be infinite
    double high = 0;  ///< upper edge of the band; may be infinite
};

struct ChartLine {
    std::string name;
    std::vector<ChartPoint> points;  ///< in ascending order of x; x is at least 0, y is finite
};

/// Lines over one x axis, which begins at 0.
struct ChartPanel {
    std::string x_label;  ///< with its unit
    std::vector<ChartLine> lines;
};

/// A picture (SVG, without other files) of panels side by side. One legend serves all panels, so all have the same line
/// names in the same order. All share one range of y, which leaves out values that are very far from most. A value
/// holds until the next point, and the last one to the end of the axis. The colours follow the reader's preference for
/// light or dark pages.
std::string line_chart(const std::string& title, const std::string& y_label, const std::vector<ChartPanel>& panels);

/// Three to seven round numbers between `low` and `high` if `low` < `high`; one number if they are equal.
std::vector<double> chart_ticks(double low, double high);

}  // namespace crescendo::launch
