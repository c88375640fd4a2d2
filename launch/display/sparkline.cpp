#include "launch/display/sparkline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace crescendo::launch {
namespace {

constexpr std::array blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/// Means over `width` parts of nearly equal size.
std::vector<double> shortened(const std::vector<double>& numbers, std::size_t width) {
    if (numbers.size() <= width) {
        return numbers;
    }
    std::vector<double> means;
    for (std::size_t i = 0; i < width; ++i) {
        const auto begin = i * numbers.size() / width;
        const auto end = (i + 1) * numbers.size() / width;
        double mean = 0;
        for (auto k = begin; k < end; ++k) {
            mean += numbers[k] / static_cast<double>(end - begin);  // divided first, so that the sum cannot overflow
        }
        means.push_back(mean);
    }
    return means;
}

}  // namespace

std::string sparkline(const std::vector<double>& numbers, std::size_t width) {
    const auto levels = shortened(numbers, width);
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const double level : levels) {
        if (std::isfinite(level)) {
            low = std::min(low, level);
            high = std::max(high, level);
        }
    }
    std::string line;
    for (const double level : levels) {
        if (!std::isfinite(level)) {
            line += "×";
            continue;
        }
        const double height = high > low ? (level / 2 - low / 2) / (high / 2 - low / 2) : 0;
        line += blocks[std::min(blocks.size() - 1, static_cast<std::size_t>(height * blocks.size()))];
    }
    return line;
}

}  // namespace crescendo::launch
