#pragma once

#include <string>
#include <vector>

namespace crescendo::launch {

/// A value, and the band around it, from this place of the x axis on.
struct ChartPoint {
    double x = 0;
    double y = 0;
    double low = 0;   ///< lower edge of the band; may be infinite
    double high = 0;  ///< upper edge of the band; may be infinite
};

struct ChartLine {
    std::string name;
    std::vector<ChartPoint> points;  ///< in ascending order of x, which is 0 at least; y is finite
};

/// Lines over one x axis, which begins at 0.
struct ChartPanel {
    std::string x_label;  ///< with its unit
    std::vector<ChartLine> lines;
};

/// A picture (SVG, without other files) of panels side by side. All have the same names of lines in the same order, as
/// one legend says, and the same range of y, which leaves out values that are very far from most. A value stays until
/// the next point, and the last one to the end of the axis. The colours suit a light and a dark page, as the reader
/// prefers.
std::string line_chart(const std::string& title, const std::string& y_label, const std::vector<ChartPanel>& panels);

/// Round numbers, from three to seven, between `low` and `high` where `low` < `high`; one if they are equal.
std::vector<double> chart_ticks(double low, double high);

}  // namespace crescendo::launch
