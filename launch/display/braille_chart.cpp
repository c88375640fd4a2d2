#include "launch/display/braille_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "launch/display/chart_range.hpp"

namespace crescendo::launch {
namespace {

constexpr std::size_t dots_wide = 2, dots_high = 4;  // per character

/// A canvas of dots. Each character holds two columns of four dots.
class Canvas {
  public:
    Canvas(std::size_t columns, std::size_t rows) : columns_(columns), rows_(rows), cells_(columns * rows) {}

    std::size_t width() const { return columns_ * dots_wide; }
    std::size_t height() const { return rows_ * dots_high; }

    /// Sets a dot. (0, 0) is the upper left one.
    void set(std::size_t x, std::size_t y) {
        // Unicode numbers the dots of a pattern downwards, but added the lowest two later.
        static constexpr unsigned bits[dots_high][dots_wide] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
        cells_[y / dots_high * columns_ + x / dots_wide] |= bits[y % dots_high][x % dots_wide];
    }

    std::string row(std::size_t row) const {
        std::string text;
        for (std::size_t i = 0; i < columns_; ++i) {
            const auto dots = cells_[row * columns_ + i];
            if (dots == 0) {
                text += ' ';
            } else {  // U+2800 and the dots, in UTF-8
                text += '\xE2';
                text += static_cast<char>(0xA0 | (dots >> 6));
                text += static_cast<char>(0x80 | (dots & 0x3F));
            }
        }
        return text;
    }

  private:
    std::size_t columns_, rows_;
    std::vector<unsigned> cells_;
};

/// Position of `value` between `low` and `high`, from 0 to 1; 0 for NaN. Halves the numbers first, so that differences
/// of huge numbers do not overflow.
double share_of(double value, double low, double high) {
    const double share = (value / 2 - low / 2) / (high / 2 - low / 2);
    return std::isnan(share) ? 0 : std::clamp(share, 0.0, 1.0);
}

struct Dot {
    double x, y;
};

void draw_line(Canvas& canvas, Dot from, Dot to) {
    const double steps = std::max({std::abs(to.x - from.x), std::abs(to.y - from.y), 1.0});
    for (double i = 0; i <= steps; ++i) {
        const double share = i / steps;
        canvas.set(static_cast<std::size_t>(std::lround(from.x + share * (to.x - from.x))),
                   static_cast<std::size_t>(std::lround(from.y + share * (to.y - from.y))));
    }
}

}  // namespace

BrailleChart::Line steps(const BrailleChart::Line& points, double end) {
    BrailleChart::Line line;
    for (const auto& [x, y] : points) {
        if (!line.empty()) {
            line.emplace_back(x, line.back().second);
        }
        line.emplace_back(x, y);
    }
    if (!line.empty()) {
        line.emplace_back(std::max(end, line.back().first), line.back().second);
    }
    return line;
}

std::vector<std::string> BrailleChart::draw(std::size_t width, std::size_t height) const {
    const auto [low_label, high_label] = end_labels(low, high);
    const std::size_t label_width = std::max<std::size_t>(8, std::max(low_label.size(), high_label.size())) + 2;
    const std::size_t columns = std::max<std::size_t>(width, label_width + 10) - label_width;
    const std::size_t rows = std::max<std::size_t>(height, 4) - 3;  // without the lines of title, axis and labels
    double first = std::numeric_limits<double>::infinity(), last = -first;
    for (const auto& line : lines) {
        if (!line.empty()) {
            first = std::min(first, line.front().first);
            last = std::max(last, line.back().first);
        }
    }
    if (first > last) {
        return {title, "  nothing to draw yet"};
    }
    Canvas canvas(columns, rows);
    const auto place = [&](const std::pair<double, double>& point) {
        const double x = last > first ? share_of(point.first, first, last) : 0;
        const double y = high > low ? share_of(point.second, low, high) : 0.5;
        return Dot{x * static_cast<double>(canvas.width() - 1), (1 - y) * static_cast<double>(canvas.height() - 1)};
    };
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            draw_line(canvas, place(line[i == 0 ? 0 : i - 1]), place(line[i]));
        }
    }
    std::vector<std::string> picture{title};
    for (std::size_t row = 0; row < rows; ++row) {
        const auto label = row == 0 ? high_label : row + 1 == rows ? low_label : std::string();
        picture.push_back(fmt::format("{:>{}} {}{}", label, label_width - 2, label.empty() ? "│" : "┤",
                                      canvas.row(row)));
        picture.back().erase(picture.back().find_last_not_of(' ') + 1);
    }
    picture.push_back(fmt::format("{:>{}}{:─<{}}", "└", label_width, "", columns));
    const auto gap = columns - std::min(columns - 1, left_label.size() + right_label.size());
    picture.push_back(std::string(label_width, ' ') + left_label + std::string(gap, ' ') + right_label);
    return picture;
}

}  // namespace crescendo::launch
