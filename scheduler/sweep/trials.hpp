#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "core/check.hpp"
#include "core/ids.hpp"
#include "scheduler/trial.hpp"

namespace crescendo {

/// All trials of a sweep so far. Counts them by status, and knows the best of them.
class Trials {
  public:
    /// All trials, indexed by id. References last until the next trial is added.
    const std::vector<Trial>& all() const { return trials_; }
    auto begin() { return trials_.begin(); }
    auto end() { return trials_.end(); }
    int size() const { return static_cast<int>(trials_.size()); }
    bool has(TrialId id) const { return id.value >= 0 && id.value < size(); }

    /// The trial with this id, which must exist.
    const Trial& operator[](TrialId id) const { return trials_[index(id)]; }
    Trial& operator[](TrialId id) { return trials_[index(id)]; }

    /// Reserves memory for `count` trials. There may be fewer in the end.
    void reserve(std::size_t count) { trials_.reserve(count); }

    /// Adds a trial that begins to run or to wait. Its id must be the number of trials so far.
    Trial& add(Trial&& trial);

    /// As Trial::transition().
    void transition(Trial& trial, TrialStatus next);
    /// As Trial::retry().
    void retry(Trial& trial);
    /// The user holds a trial that has not ended, or releases it.
    void set_held(Trial& trial, bool is_held);

    /// The trial has reported, so its resource has changed.
    void note_report(const Trial& trial) { note_change(trial); }

    /// The trials that are new, or whose status or resource changed, since the last call. All trials at the first call.
    std::set<TrialId> take_changes();

    /// Number of trials that have this status now.
    int count(TrialStatus status) const { return counts_[static_cast<std::size_t>(status)]; }
    /// Whether the user holds any trial, whatever its status.
    bool has_held() const { return num_held_ > 0; }
    /// Whether no trial runs, waits, is paused or held.
    bool all_ended() const;

    /// The trial with the best loss at its last report, among trials that did not fail. Ties go to the lower id.
    std::optional<TrialId> best() const;

    /// The best of the trials that were passed to rank_ended().
    std::optional<TrialId> best_ended() const { return best_ended_; }

    /// Compares a trial that has ended without failing with the best one that ended before it. Returns the one that can
    /// no longer be the best, if any.
    std::optional<TrialId> rank_ended(const Trial& trial);

  private:
    std::size_t index(TrialId id) const {
        CRESCENDO_EXPECT(has(id));
        return static_cast<std::size_t>(id.value);
    }
    void note_change(const Trial& trial) {
        if (keeps_changes_) {
            changes_.insert(trial.id);
        }
    }
    int& counter(TrialStatus status) { return counts_[static_cast<std::size_t>(status)]; }

    std::vector<Trial> trials_;
    std::array<int, static_cast<std::size_t>(TrialStatus::failed) + 1> counts_{};  // by status
    int num_held_ = 0;
    std::optional<TrialId> best_ended_;
    std::set<TrialId> changes_;  // empty until take_changes() is called once
    bool keeps_changes_ = false;
};

}  // namespace crescendo
