#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/slots/slot_pool.hpp"
#include "scheduler/sweep_spec.hpp"

namespace crescendo {

/// How many workers a trial is entitled to, how many it gets, and where.
///
/// A trial that survived k rungs is entitled to min(workers * scaling^k, max_workers) workers, its target (RASDA, Aach
/// et al. 2025); without rasda it stays at min(workers, max_workers). What it gets when slots are short:
///
///     eager    the largest size of that ladder that fits, and more at a later report
///     partial  all that fits, up to the target
///     wait     the largest size of the ladder that the slots of the sweep allow, taken or free, or nothing
///
/// No policy gives a trial fewer workers than it starts with. A trial starts with `workers`, or with all slots if there
/// are fewer.
class Allocator {
  public:
    /// `spec` is valid.
    explicit Allocator(const SchedulerSpec& spec);

    /// Adds free slots. The first slots to join fix max_workers, unless it was given.
    void join(const std::vector<Slot>& slots);

    /// Removes slots, which must be free.
    void lose(const std::vector<SlotId>& slots);

    /// Target of a trial that survived `rungs_survived` rungs. max_workers must be known.
    int target_workers(int rungs_survived) const;

    /// A trial's target, limited to what the slots of the sweep, taken or free, allow.
    int full_size(int rungs_survived) const;

    /// Number of workers with which a trial starts.
    int starting_size() const { return full_size(0); }

    /// The fewest workers with which a trial that has none continues.
    int least_size(int rungs_survived) const {
        return policy_ == GrowPolicy::wait ? full_size(rungs_survived) : starting_size();
    }

    /// The size that grow() would give a group; its present size if it would not grow.
    int offer(const std::vector<SlotId>& group, int rungs_survived, int num_reserved = 0) const;

    /// Sizes of the ladder above `from` and below `to`, and `to`.
    std::vector<int> sizes_up_to(int from, int to) const;

    /// Adds free slots to the group until it has `size`, those in `avoided` last. There must be enough free slots.
    void grow_to(std::vector<SlotId>& group, int size, const std::vector<SlotId>& avoided = {});

    /// Adds slots to the group (which may be empty) of a trial that survived `rungs_survived` rungs. Leaves
    /// `num_reserved` free slots for others. Returns whether the group grew.
    bool grow(std::vector<SlotId>& group, int rungs_survived, int num_reserved = 0);

    /// Number of surplus slots that a group of `size` slots can get beyond its target: as many as it has, up to
    /// max_workers.
    int surplus(int size) const { return std::min(size, max_workers() - size); }

    /// Frees the last slots of the group until it has `size` slots.
    void shrink(std::vector<SlotId>& group, int size);

    /// The largest size of the ladder below `size`; `size` if there is none.
    int next_smaller_size(int size) const;

    void release(const std::vector<SlotId>& slots) { pool_.release(slots); }

    const SlotPool& pool() const { return pool_; }

    /// The most workers of any trial; 0 until it is known.
    int max_workers() const { return max_workers_.value_or(0); }

  private:
    void fix_max_workers(int max_workers);
    int size_on(int available, int rungs_survived) const;
    int largest_size(int available, int rungs_survived) const;

    int workers_;
    int scaling_;
    GrowPolicy policy_;
    std::optional<int> max_workers_;
    std::vector<std::int64_t> sizes_;  // sizes of groups after 0, 1, 2, … rungs; empty until max_workers is known
    SlotPool pool_;
};

}  // namespace crescendo
