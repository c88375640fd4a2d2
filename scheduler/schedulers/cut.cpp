#include "scheduler/schedulers/cut.hpp"

#include <algorithm>
#include <functional>

#include "core/check.hpp"
#include "scheduler/loss.hpp"

namespace crescendo {
namespace {

template <class Order>
void push(std::vector<Result>& heap, const Result& result, Order order) {
    heap.push_back(result);
    std::push_heap(heap.begin(), heap.end(), order);
}

template <class Order>
Result pop(std::vector<Result>& heap, Order order) {
    std::pop_heap(heap.begin(), heap.end(), order);
    const Result result = heap.back();
    heap.pop_back();
    return result;
}

constexpr std::less<> worst_first;
constexpr std::greater<> best_first;

}  // namespace

void Cut::insert(const Result& result, std::size_t num_best) {
    CRESCENDO_EXPECT(num_best <= size() + 1);
    if (is_among_best(result)) {
        push(best_, result, worst_first);
    } else {
        push(rest_, result, best_first);
    }
    cut(num_best);
}

/// O(n), which is fine because it is rare.
void Cut::erase(const Result& result, std::size_t num_best) {
    CRESCENDO_EXPECT(num_best < size());
    const bool is_best = is_among_best(result);
    auto& heap = is_best ? best_ : rest_;
    const auto found = std::find(heap.begin(), heap.end(), result);
    CRESCENDO_EXPECT(found != heap.end());
    heap.erase(found);
    if (is_best) {
        std::make_heap(heap.begin(), heap.end(), worst_first);
    } else {
        std::make_heap(heap.begin(), heap.end(), best_first);
    }
    cut(num_best);
}

void Cut::cut(std::size_t num_best) {
    while (best_.size() > num_best) {
        push(rest_, pop(best_, worst_first), best_first);
    }
    while (best_.size() < num_best) {
        push(best_, pop(rest_, best_first), worst_first);
    }
}

const Result& Cut::worst_of_best() const {
    CRESCENDO_EXPECT(!best_.empty());
    return best_.front();
}

const Result& Cut::best_of_rest() const {
    CRESCENDO_EXPECT(!rest_.empty());
    return rest_.front();
}

double quantile(const Cut& results, std::size_t parts) {
    if (results.size() == 0) {
        return worst_loss;
    }
    const std::size_t remainder = (results.size() - 1) % parts;
    const double low = results.worst_of_best().loss;
    if (remainder == 0) {
        return low;
    }
    const double high = results.best_of_rest().loss;
    return low == high ? low : low + (high - low) * (static_cast<double>(remainder) / static_cast<double>(parts));
}

}  // namespace crescendo
