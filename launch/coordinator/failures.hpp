#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "launch/journal/history.hpp"
#include "launch/messages/messages.hpp"

namespace crescendo::launch {

/// What a failed trial did, for messages such as "trial 3 crashed".
const char* verb_of(FailureKind kind);

/// What the user reads of a checkpoint that could not be written.
std::string problem_of(const CheckpointFailed& notice);

/// What the user reads of a worker that may not have saved the trial that it left. Its problem is not empty.
std::string problem_of(const LeftTrial& notice);

/// What a user reads of a report without the sweep's `metric`.
std::string problem_of(const protocol::Metrics& reported, const std::string& metric);

/// A failure that an agent tells of, as the scheduler is to know it, given the trial's last one. `told` has the slot
/// where it happened as its suspect, whatever its kind; none: the trial's own words are wrong. Only crashes and errors
/// keep it.
///
/// An error is a repeated error if it has the same message as the last, whatever numbers are in it, with no report
/// between the two. Messages of several members of a group about one failure are no repetition. Nor is an error on a
/// slot that is in doubt for the trial (Sweep::is_in_doubt): it may be the slot's.
TrialFailed failure_after(const History& history, TrialFailed told, const std::string& message);

/// Says a long message once: last words, which many trials may have in common, are as good as none if they fill the
/// screen.
class ToldFailures {
  public:
    /// The message, or the trial that was told of with the same one, whatever numbers and random names are in it.
    std::string words_for(TrialId trial, const std::string& message);

  private:
    std::map<std::string, TrialId> first_;  ///< by the message without these
};

/// Decides whether a sweep is worth continuing in which no trial has ever reported anything.
///
/// It is not once three trials have failed for good. It is not if a program ended with status 0 and never reported,
/// because all others would do the same. It is not if a program refused its arguments and all trials that had begun by
/// then have failed. (If one of them reports, only that configuration was wrong, and it costs that trial.)
class Hope {
  public:
    /// Notes the failure of a trial, before `sweep` has it.
    void note(ProgramFault fault, const Sweep& sweep);

    bool is_lost(const Sweep& sweep) const;

  private:
    bool never_reports_ = false;
    std::size_t num_suspects_ = 0;  ///< trials begun when a program first refused its arguments; 0 before
};

}  // namespace crescendo::launch
