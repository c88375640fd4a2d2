#include "launch/report/slot_use.hpp"

#include <algorithm>
#include <utility>

namespace crescendo::launch {
namespace {

/// Adds `count`, from the time `from` to `to`, to the mean of each step.
void add(std::vector<double>& means, double step, double from, double to, double count) {
    const auto last = means.size() - 1;
    const auto index = [&](double time) { return std::min(last, static_cast<std::size_t>(time / step)); };
    for (auto i = index(from); i <= index(to); ++i) {
        const double begin = std::max(from, step * static_cast<double>(i));
        const double end = std::min(to, step * static_cast<double>(i + 1));
        means[i] += count * std::max(0.0, end - begin) / step;
    }
}

}  // namespace

SlotUse slot_use(const std::vector<Span>& spans, const std::vector<Lane>& lanes, double until, int num_steps) {
    if (!(until > 0)) {
        return {};
    }
    const auto size = static_cast<std::size_t>(num_steps);
    SlotUse use{until / num_steps, std::vector<double>(size), std::vector<double>(size)};
    for (const auto& lane : lanes) {
        add(use.there, use.step, lane.from, lane.to, 1);
    }
    for (const auto& span : spans) {
        add(use.held, use.step, span.from, span.to, static_cast<double>(span.slots.size()));
    }
    return use;
}

std::vector<double> slot_seconds_at(const std::vector<Span>& spans, const std::vector<double>& times) {
    std::vector<std::pair<double, double>> changes;  // of the number of slots in use
    for (const auto& span : spans) {
        const auto count = static_cast<double>(span.slots.size());
        changes.emplace_back(span.from, count);
        changes.emplace_back(span.to, -count);
    }
    std::ranges::sort(changes);
    std::vector<double> sums;
    double sum = 0, held = 0, now = 0;
    auto change = changes.begin();
    for (const double time : times) {
        for (; change != changes.end() && change->first <= time; ++change) {
            sum += held * (change->first - now);
            now = change->first;
            held += change->second;
        }
        sums.push_back(sum + held * (time - now));
    }
    return sums;
}

}  // namespace crescendo::launch
