#include "scheduler/schedulers/brackets.hpp"

#include <numeric>

#include "core/draws.hpp"

namespace crescendo {

std::vector<Resource> milestones(const SchedulerSpec& spec) {
    const bool has_rungs = spec.kind != SchedulerKind::fifo && spec.kind != SchedulerKind::median;
    return has_rungs ? spec.milestones() : std::vector{spec.max};
}

std::vector<std::int64_t> bracket_sizes(std::size_t num_rungs, int eta) {
    const auto rungs = static_cast<std::int64_t>(num_rungs);
    std::vector<std::int64_t> sizes(num_rungs);
    // eta^(length - 1). All but its last factor are below max, and so below 2^40: it fits also with the largest eta.
    std::int64_t power = 1;
    for (std::int64_t length = 1; length <= rungs; ++length) {
        const auto whole = power / length * rungs;
        const auto part = (power % length * rungs + length - 1) / length;
        sizes[num_rungs - static_cast<std::size_t>(length)] = whole + part;
        power = length < rungs ? power * eta : power;
    }
    return sizes;
}

BracketDraw::BracketDraw(const SweepSpec& spec)
    : seed_(spec.seed), sizes_(bracket_sizes(milestones(spec.scheduler).size(), spec.scheduler.reduction_factor)) {
    sizes_.resize(static_cast<std::size_t>(spec.scheduler.num_brackets()));
}

int BracketDraw::draw(TrialId trial) const {
    if (sizes_.size() == 1) {
        return 0;
    }
    const auto total = std::accumulate(sizes_.begin(), sizes_.end(), std::int64_t{0});
    auto random = draws(seed_, Purpose::bracket, trial);
    auto place = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(total)));
    int bracket = 0;
    for (; place >= sizes_[static_cast<std::size_t>(bracket)]; ++bracket) {
        place -= sizes_[static_cast<std::size_t>(bracket)];
    }
    return bracket;
}

}  // namespace crescendo
