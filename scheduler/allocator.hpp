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
/// A trial that survived k rungs is entitled to min(workers * scaling^k, max_workers) of them
/// (RASDA, Aach et al. 2025); without rasda it stays at min(workers, max_workers). When slots are short a group takes a
/// smaller size of that ladder and grows later.
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

    /// Adds slots to the group of such a trial, up to the largest size of the ladder that its target
    /// and the free slots allow; an empty group gets at least the size that a new trial starts with, or nothing.
    /// Returns whether the group grew.
    bool grow(std::vector<SlotId>& group, int rungs_survived);

    void release(const std::vector<SlotId>& slots) { pool_.release(slots); }

    const SlotPool& pool() const { return pool_; }

    /// 0 until it is known.
    int max_workers() const { return max_workers_.value_or(0); }

  private:
    void fix_max_workers(int max_workers);
    int largest_size(int available, int rungs_survived) const;

    int workers_;
    int scaling_;
    std::optional<int> max_workers_;
    std::vector<std::int64_t> sizes_;  // of groups after 0, 1, 2, … rungs; empty until max_workers is known
    SlotPool pool_;
};

}  // namespace crescendo
