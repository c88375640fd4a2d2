#include "scheduler/allocator.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "scheduler/ladder.hpp"

namespace crescendo {

Allocator::Allocator(const SchedulerSpec& spec)
    : workers_(spec.workers), scaling_(spec.kind == SchedulerKind::rasda ? spec.scaling() : 1) {
    if (spec.max_workers) {
        fix_max_workers(*spec.max_workers);
    }
}

void Allocator::join(const std::vector<Slot>& slots) {
    for (const auto& slot : slots) {
        pool_.join(slot);
    }
    if (!max_workers_ && pool_.size() > 0) {
        fix_max_workers(pool_.size());
    }
}

void Allocator::lose(const std::vector<SlotId>& slots) {
    for (const auto slot : slots) {
        pool_.lose(slot);
    }
}

int Allocator::target_workers(int rungs_survived) const {
    CRESCENDO_EXPECT(!sizes_.empty());
    return static_cast<int>(sizes_[std::min(static_cast<std::size_t>(rungs_survived), sizes_.size() - 1)]);
}

bool Allocator::grow(std::vector<SlotId>& group, int rungs_survived) {
    const int current = static_cast<int>(group.size());
    const int size = largest_size(current + pool_.num_free(), rungs_survived);
    if (size <= current) {
        return false;
    }
    const auto added = pool_.take(size - current, group);
    group.insert(group.end(), added.begin(), added.end());
    return true;
}

void Allocator::fix_max_workers(int max_workers) {
    max_workers_ = max_workers;
    const int start = std::min(workers_, max_workers);
    sizes_ = scaling_ == 1 ? std::vector<std::int64_t>{start} : ladder(start, max_workers, scaling_);
}

/// Of the sizes up to the trial's target, the largest that `available` slots allow; 0 where there is none.
int Allocator::largest_size(int available, int rungs_survived) const {
    if (available == 0) {
        return 0;
    }
    // Where fewer slots joined than a trial should start with, it starts with those there are.
    const int smallest = std::min(target_workers(0), pool_.size());
    int size = available >= smallest ? smallest : 0;
    for (int rungs = 0; rungs <= rungs_survived && target_workers(rungs) <= available; ++rungs) {
        size = target_workers(rungs);
    }
    return size;
}

}  // namespace crescendo
