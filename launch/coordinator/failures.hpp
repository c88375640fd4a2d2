#pragma once

#include <cstddef>
#include <string>

#include "launch/messages/messages.hpp"
#include "launch/record/history.hpp"

namespace crescendo::launch {

/// What a failed trial did, for messages such as "trial 3 crashed".
const char* verb_of(FailureKind kind);

/// What the user reads of a checkpoint that could not be written.
std::string problem_of(const CheckpointFailed& notice);

/// The kind of a trial's next failure, given its last one. An error is a repeated error if it has the same message as
/// the last, whatever numbers are in it, with no report between the two. Messages of several members of a group about
/// one failure are no repetition.
FailureKind kind_after(const History& history, TrialId trial, FailureKind kind, const std::string& message);

/// Decides whether a sweep is worth continuing in which no trial has ever reported anything.
///
/// It is not once three trials have failed for good. It is not if a program ended with status 0 and never reported,
/// because all others would do the same. It is not if a program refused its arguments and all trials that had begun by
/// then have failed. (If one of them reports, only that configuration was wrong, and it costs that trial.)
class Prospects {
  public:
    /// Notes the failure of a trial, before `sweep` has it.
    void note(ProgramFault fault, const Sweep& sweep);

    bool are_hopeless(const Sweep& sweep) const;

  private:
    bool never_reports_ = false;
    std::size_t num_suspects_ = 0;  ///< trials begun when a program first refused its arguments; 0 before
};

}  // namespace crescendo::launch
