#include "launch/display/chart_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.hpp"

namespace crescendo::launch {

double largest_shown(std::vector<double> values, double best) {
    CRESCENDO_EXPECT(!values.empty());
    std::ranges::sort(values, {}, [](double value) { return std::abs(value); });
    const double usual = std::abs(values[3 * (values.size() - 1) / 4]);
    const double most = 1000 * std::max(usual, std::abs(best));
    return most > 0 ? most : std::numeric_limits<double>::infinity();  // if all are zero, none is far from the others
}

std::pair<std::string, std::string> end_labels(double low, double high) {
    const double ratio = std::max(std::abs(low), std::abs(high)) / (high - low);
    const int more = ratio > 10 && std::isfinite(ratio) ? static_cast<int>(std::log10(ratio)) : 0;
    const int digits = std::min(4 + more, 12);
    return {fmt::format("{:.{}g}", low, digits), fmt::format("{:.{}g}", high, digits)};
}

}  // namespace crescendo::launch
