#include "core/median.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "core/check.hpp"

namespace crescendo {

double median(std::vector<double> values) {
    CRESCENDO_EXPECT(!values.empty());
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    const double upper = *middle;
    return values.size() % 2 == 1 ? upper : std::midpoint(*std::max_element(values.begin(), middle), upper);
}

}  // namespace crescendo
