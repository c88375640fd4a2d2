#include "scheduler/ladder.hpp"

#include "core/check.hpp"

namespace crescendo {

std::vector<std::int64_t> ladder(std::int64_t first, std::int64_t last, std::int64_t factor) {
    CRESCENDO_EXPECT(1 <= first && first <= last && factor >= 2);
    std::vector<std::int64_t> steps;
    for (std::int64_t step = first; step < last; step *= factor) {
        steps.push_back(step);
        if (step > last / factor) {
            break;
        }
    }
    steps.push_back(last);
    return steps;
}

}  // namespace crescendo
