#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/slot_pool.hpp"
#include "scheduler/sweep_spec.hpp"

namespace crescendo {

/// How many workers a trial is entitled to, how many it gets, and where.
///
/// A trial that survived k rungs is entitled to min(workers * scaling^k, max_workers) of them, its target
/// (RASDA, Aach et al. 2025); without rasda it stays at min(workers, max_workers). What it gets when slots are short:
///
///     eager    the largest size of that ladder that fits, and more at a later report
///     partial  all that fits, up to the target
///     wait     the largest size of the ladder that the slots of the sweep allow, taken or free, or nothing
///
/// and in all of them no less than a trial starts with. A trial starts with `workers`, or with all the slots where
/// there are fewer.
class Allocator {
  public:
    /// `spec` is valid.
    explicit Allocator(const SchedulerSpec& spec);

    /// The first slots to join fix max_workers, unless it was given.
    void join(const std::vector<Slot>& slots);

    /// The slots must be free.
    void lose(const std::vector<SlotId>& slots);

    /// Workers of a trial that survived `rungs_survived` rungs. Needs max_workers to be known.
    int target_workers(int rungs_survived) const;

    /// What is left of a trial's target when the slots of the sweep, taken or free, are all it could get.
    int full_size(int rungs_survived) const;

    /// Workers of a trial when it starts.
    int starting_size() const { return full_size(0); }

    /// Adds slots to the group of such a trial, an empty one too, with `num_reserved` of the free ones left for others.
    /// Returns whether the group grew.
    bool grow(std::vector<SlotId>& group, int rungs_survived, int num_reserved = 0);

    /// Doubles the group beyond its target, at most to max_workers, where that many slots are free.
    /// Returns whether it did.
    bool add_surplus(std::vector<SlotId>& group, int num_reserved);

    /// Takes the last slots of the group back until it has `size`.
    void shrink(std::vector<SlotId>& group, int size);

    /// The largest size of the ladder below `size`; `size` where there is none.
    int next_smaller_size(int size) const;

    void release(const std::vector<SlotId>& slots) { pool_.release(slots); }

    const SlotPool& pool() const { return pool_; }

    /// 0 until it is known.
    int max_workers() const { return max_workers_.value_or(0); }

  private:
    void fix_max_workers(int max_workers);
    int size_on(int available, int rungs_survived) const;
    int largest_size(int available, int rungs_survived) const;
    void add(int count, std::vector<SlotId>& group);

    int workers_;
    int scaling_;
    GrowPolicy policy_;
    std::optional<int> max_workers_;
    std::vector<std::int64_t> sizes_;  // of groups after 0, 1, 2, … rungs; empty until max_workers is known
    SlotPool pool_;
};

}  // namespace crescendo
