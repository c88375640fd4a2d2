#include "scheduler/repeat.hpp"

#include <algorithm>
#include <numeric>

#include "core/check.hpp"
#include "scheduler/loss.hpp"

namespace crescendo {

double judged_loss(JudgedBy judge, const std::vector<double>& losses) {
    CRESCENDO_EXPECT(!losses.empty());
    if (judge == JudgedBy::worst) {
        return *std::max_element(losses.begin(), losses.end());
    }
    const double sum = std::accumulate(losses.begin(), losses.end(), 0.0);
    return finite_or_worst(sum / static_cast<double>(losses.size()));
}

}  // namespace crescendo
