#include "scheduler/slots/allocator.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "scheduler/ladder.hpp"

namespace crescendo {

Allocator::Allocator(const SchedulerSpec& spec)
    : workers_(spec.workers),
      scaling_(spec.kind == SchedulerKind::rasda ? spec.scaling() : 1),
      policy_(spec.grow),
      pool_(spec.distinct_gpus == Switch::on) {
    if (spec.max_workers) {
        fix_max_workers(*spec.max_workers);
    }
}

void Allocator::join(const std::vector<Slot>& slots) {
    for (const auto& slot : slots) {
        pool_.join(slot);
    }
    if (!max_workers_ && pool_.size() > 0) {
        fix_max_workers(pool_.most_of_group());
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

int Allocator::full_size(int rungs_survived) const {
    return policy_ == GrowPolicy::partial ? std::min(target_workers(rungs_survived), pool_.most_of_group())
                                          : largest_size(pool_.most_of_group(), rungs_survived);
}

int Allocator::offer(const std::vector<SlotId>& group, int rungs_survived, int num_reserved) const {
    const int size = static_cast<int>(group.size());
    const int num_free = std::min(pool_.num_free() - num_reserved, pool_.num_free_for(group));
    return num_free <= 0 ? size : std::max(size, size_on(size + num_free, rungs_survived));
}

bool Allocator::grow(std::vector<SlotId>& group, int rungs_survived, int num_reserved) {
    const int size = offer(group, rungs_survived, num_reserved);
    if (size <= static_cast<int>(group.size())) {
        return false;
    }
    grow_to(group, size);
    return true;
}

void Allocator::grow_to(std::vector<SlotId>& group, int size, const std::vector<SlotId>& avoided) {
    const auto added = pool_.take(size - static_cast<int>(group.size()), group, avoided);
    group.insert(group.end(), added.begin(), added.end());
}

std::vector<int> Allocator::sizes_up_to(int from, int to) const {
    std::vector<int> sizes;
    for (const auto size : sizes_) {
        if (size > from && size < to) {
            sizes.push_back(static_cast<int>(size));
        }
    }
    sizes.push_back(to);
    return sizes;
}

void Allocator::shrink(std::vector<SlotId>& group, int size) {
    const auto kept = group.begin() + size;
    pool_.release({kept, group.end()});
    group.erase(kept, group.end());
}

int Allocator::next_smaller_size(int size) const {
    const auto place = std::lower_bound(sizes_.begin(), sizes_.end(), size);
    return place == sizes_.begin() ? size : static_cast<int>(*std::prev(place));
}

void Allocator::fix_max_workers(int max_workers) {
    max_workers_ = max_workers;
    const int start = std::min(workers_, max_workers);
    sizes_ = scaling_ == 1 ? std::vector<std::int64_t>{start} : ladder(start, max_workers, scaling_);
}

/// The size of a group that could have `available` slots, including those it has; 0 if they are too few.
int Allocator::size_on(int available, int rungs_survived) const {
    switch (policy_) {
        case GrowPolicy::eager:
            return largest_size(available, rungs_survived);
        case GrowPolicy::partial:
            return available >= starting_size() ? std::min(target_workers(rungs_survived), available) : 0;
        case GrowPolicy::wait:
            return available >= full_size(rungs_survived) ? full_size(rungs_survived) : 0;
    }
    expectation_failed("a GrowPolicy", __FILE__, __LINE__);
}

/// The largest size, up to the trial's target, that `available` slots allow; 0 if there is none.
int Allocator::largest_size(int available, int rungs_survived) const {
    if (available == 0) {
        return 0;
    }
    // If fewer slots joined than a trial should start with, it starts with all of them.
    const int smallest = std::min(target_workers(0), pool_.most_of_group());
    int size = available >= smallest ? smallest : 0;
    for (int rungs = 0; rungs <= rungs_survived && target_workers(rungs) <= available; ++rungs) {
        size = target_workers(rungs);
    }
    return size;
}

}  // namespace crescendo
