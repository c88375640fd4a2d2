#include "core/median.hpp"

#include <algorithm>
#include <cstddef>

#include "core/check.hpp"

namespace crescendo {

double median(std::vector<double> values) {
    CRESCENDO_EXPECT(!values.empty());
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    const double upper = *middle;
    return values.size() % 2 == 1 ? upper : (*std::max_element(values.begin(), middle) + upper) / 2;
}

}  // namespace crescendo
