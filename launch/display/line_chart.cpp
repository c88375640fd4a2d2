#include "launch/display/line_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "launch/display/chart_range.hpp"
#include "launch/display/printable.hpp"

namespace crescendo::launch {
namespace {

constexpr double panel_width = 340, panel_height = 260;
constexpr double left_edge = 80, top_edge = 50;  // edges of the first panel
constexpr double panel_distance = 420;  // from one panel's left edge to the next
constexpr double legend_top = top_edge + panel_height + 70, legend_line = 20;
constexpr std::size_t num_colours = 8;

// Based on the colours of Okabe and Ito, which most colour-blind people can tell apart, lighter on a dark background.
constexpr const char* style =
    "<style>\n"
    "text{font:12px sans-serif;fill:#1f2328}.title{font-size:14px;font-weight:bold}\n"
    ".ground{fill:#fff}.frame{fill:none;stroke:#8c959f}.grid{stroke:#d8dee4}\n"
    ".line{stroke-width:2}.band{fill-opacity:.18}\n"
    ".c0{stroke:#0072b2;fill:#0072b2}.c1{stroke:#d55e00;fill:#d55e00}.c2{stroke:#007a5a;fill:#007a5a}\n"
    ".c3{stroke:#a8487d;fill:#a8487d}.c4{stroke:#946c00;fill:#946c00}.c5{stroke:#2f8fc4;fill:#2f8fc4}\n"
    ".c6{stroke:#57606a;fill:#57606a}.c7{stroke:#6f42c1;fill:#6f42c1}\n"
    "@media screen and (prefers-color-scheme:dark){\n"  // paper is always light
    "text{fill:#e6edf3}.ground{fill:#0d1117}.frame{stroke:#6e7681}.grid{stroke:#30363d}.band{fill-opacity:.28}\n"
    ".c0{stroke:#58a6ff;fill:#58a6ff}.c1{stroke:#ff9a57;fill:#ff9a57}.c2{stroke:#3fcf9f;fill:#3fcf9f}\n"
    ".c3{stroke:#e58fc0;fill:#e58fc0}.c4{stroke:#e3b341;fill:#e3b341}.c5{stroke:#9ecbff;fill:#9ecbff}\n"
    ".c6{stroke:#b1bac4;fill:#b1bac4}.c7{stroke:#bc8cff;fill:#bc8cff}}\n"
    ".line{fill:none}.band{stroke:none}\n"  // last, to override the classes of colours
    "</style>\n";

/// Dashes of a line. If there are more than `num_colours` lines, dashes tell those of one colour apart.
std::string dashes(std::size_t index) {
    const auto turn = index / num_colours;
    return turn == 0 ? "" : fmt::format(" stroke-dasharray='{} 3'", 2 + 4 * turn);
}

struct Range {
    double low = 0;
    double high = 1;
};

/// The y range of the values that are not far from most others, with a margin. It includes the last value of each line.
Range y_range(const std::vector<ChartPanel>& panels) {
    std::vector<double> values;
    double largest_end = 0;
    for (const auto& panel : panels) {
        for (const auto& line : panel.lines) {
            for (const auto& point : line.points) {
                values.push_back(point.y);
            }
            largest_end = line.points.empty() ? largest_end : std::max(largest_end, std::abs(line.points.back().y));
        }
    }
    if (values.empty()) {
        return {};
    }
    std::erase_if(values, [most = largest_shown(values, largest_end)](double y) { return std::abs(y) > most; });
    const auto [low, high] = std::ranges::minmax(values);
    const double margin = low < high ? 0.04 * (high - low) : low != 0 ? 0.1 * std::abs(low) : 1;
    return {low - margin, high + margin};
}

double last_x(const ChartPanel& panel) {
    double last = 0;
    for (const auto& line : panel.lines) {
        last = line.points.empty() ? last : std::max(last, line.points.back().x);
    }
    return last > 0 ? 1.02 * last : 1;
}

/// The number of digits that tell ticks apart: those of the largest, down to the last digit of their distance.
int digits_of(const std::vector<double>& ticks) {
    constexpr int usual = 4, most = 15;
    if (ticks.size() < 2) {
        return usual;
    }
    const double largest = std::max(std::abs(ticks.front()), std::abs(ticks.back()));
    const double digits = 1 + std::floor(std::log10(largest)) - std::floor(std::log10(ticks[1] - ticks[0]));
    return static_cast<int>(std::clamp<double>(digits, usual, most));
}

/// One panel, with its position in the picture.
class Panel {
  public:
    Panel(const ChartPanel& panel, std::size_t index, Range y)
        : panel_(panel),
          index_(index),
          left_(left_edge + panel_distance * static_cast<double>(index)),
          y_(y),
          last_x_(last_x(panel)) {}

    std::string svg() const {
        std::string result =
            fmt::format("<clipPath id='panel{0}'><rect x='{1}' y='{2}' width='{3}' height='{4}'/></clipPath>\n", index_,
                        left_, top_edge, panel_width, panel_height);
        for (const double tick : chart_ticks(0, last_x_)) {
            result += fmt::format(
                "<path class='grid' d='M{0:.1f},{1}V{2}'/><text x='{0:.1f}' y='{3}' "
                "text-anchor='middle'>{4:.4g}</text>\n",
                place_x(tick), top_edge, top_edge + panel_height, top_edge + panel_height + 18, tick);
        }
        const auto ticks = chart_ticks(y_.low, y_.high);
        for (const double tick : ticks) {
            result += fmt::format(
                "<path class='grid' d='M{0},{1:.1f}H{2}'/><text x='{3}' y='{4:.1f}' text-anchor='end'>{5:.{6}g}"
                "</text>\n",
                left_, place_y(tick), left_ + panel_width, left_ - 8, place_y(tick) + 4, tick, digits_of(ticks));
        }
        result += fmt::format("<rect class='frame' x='{}' y='{}' width='{}' height='{}'/>\n", left_, top_edge,
                              panel_width, panel_height);
        result += fmt::format("<text x='{}' y='{}' text-anchor='middle'>{}</text>\n", left_ + panel_width / 2,
                              top_edge + panel_height + 40, markup_text(panel_.x_label));
        result += fmt::format("<g clip-path='url(#panel{})'>\n", index_);
        for (std::size_t i = 0; i < panel_.lines.size(); ++i) {
            if (const auto& points = panel_.lines[i].points; !points.empty()) {
                result += fmt::format("<path class='c{0} band' d='{1}'/><path class='c{0} line'{2} d='{3}'/>\n",
                                      i % num_colours, band(points), dashes(i), "M" + steps(points, &ChartPoint::y));
            }
        }
        return result + "</g>\n";
    }

  private:
    double place_x(double x) const { return left_ + panel_width * x / last_x_; }

    /// The y coordinate. Infinite values are placed outside the frame, which clips them.
    double place_y(double y) const {
        const double share = (y - y_.low) / (y_.high - y_.low);
        return top_edge + panel_height * (1 - std::clamp(share, -1.0, 2.0));
    }

    /// A path from left to right: "x,y" and the steps to the end of the axis.
    std::string steps(const std::vector<ChartPoint>& points, double ChartPoint::*y) const {
        std::string path = fmt::format("{:.1f},{:.1f}", place_x(points.front().x), place_y(points.front().*y));
        for (const auto& point : points) {
            path += fmt::format("H{:.1f}V{:.1f}", place_x(point.x), place_y(point.*y));
        }
        return path + fmt::format("H{:.1f}", left_ + panel_width);
    }

    /// The path around a band: along its upper edge, and back along its lower edge.
    std::string band(const std::vector<ChartPoint>& points) const {
        std::string path = "M" + steps(points, &ChartPoint::high);
        double x = left_ + panel_width;
        for (auto point = points.rbegin(); point != points.rend(); ++point) {
            path += fmt::format("L{:.1f},{:.1f}H{:.1f}", x, place_y(point->low), place_x(point->x));
            x = place_x(point->x);
        }
        return path + "Z";
    }

    const ChartPanel& panel_;
    std::size_t index_;
    double left_;
    Range y_;
    double last_x_;
};

}  // namespace

std::vector<double> chart_ticks(double low, double high) {
    if (!(low < high)) {
        return {low};
    }
    const double decade = std::pow(10, std::floor(std::log10(high - low)));
    double step = decade;
    for (const double factor : {0.2, 0.5, 1.0, 2.0}) {
        step = factor * decade;
        if ((high - low) / step <= 6) {
            break;
        }
    }
    std::vector<double> ticks;
    const double first = std::ceil(low / step);
    for (int i = 0; i < 7 && (first + i) * step <= high + 1e-9 * step; ++i) {
        ticks.push_back((first + i) * step + 0.0);  // no negative zero
    }
    return ticks;
}

std::string line_chart(const std::string& title, const std::string& y_label, const std::vector<ChartPanel>& panels) {
    const auto num_lines = panels.empty() ? 0 : panels.front().lines.size();
    const double width =
        left_edge + panel_distance * static_cast<double>(panels.size()) - (panel_distance - panel_width) + 30;
    const double height = legend_top + legend_line * static_cast<double>(num_lines) + 6;
    std::string result = fmt::format(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' viewBox='0 0 {0} {1}'>\n<title>{2}</title>\n",
        width, height, markup_text(title));
    result += style;
    result += fmt::format("<rect class='ground' width='{}' height='{}'/>\n", width, height);
    result += fmt::format("<text class='title' x='{}' y='28'>{}</text>\n", left_edge, markup_text(title));
    result += fmt::format("<text transform='translate(20,{}) rotate(-90)' text-anchor='middle'>{}</text>\n",
                          top_edge + panel_height / 2, markup_text(y_label));
    const auto range = y_range(panels);
    for (std::size_t i = 0; i < panels.size(); ++i) {
        result += Panel(panels[i], i, range).svg();
    }
    for (std::size_t i = 0; i < num_lines; ++i) {
        const double y = legend_top + legend_line * static_cast<double>(i);
        result += fmt::format("<path class='c{0} line'{1} d='M{2},{3}h28'/><text x='{4}' y='{5}'>{6}</text>\n",
                              i % num_colours, dashes(i), left_edge, y, left_edge + 36, y + 4,
                              markup_text(panels.front().lines[i].name));
    }
    return result + "</svg>\n";
}

}  // namespace crescendo::launch
