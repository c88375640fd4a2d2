#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "launch/journal/history.hpp"
#include "launch/messages/messages.hpp"

namespace crescendo::launch {

/// Describes a failed trial, for messages such as "trial 3 crashed".
const char* verb_of(FailureKind kind);

/// Message for the user about a checkpoint that could not be written.
std::string problem_of(const CheckpointFailed& notice);

/// Message for the user about a worker that may not have saved the trial that it left. Its problem is not empty.
std::string problem_of(const LeftTrial& notice);

/// Message for the user about a report without the sweep's `metric`.
std::string problem_of(const protocol::Metrics& reported, const std::string& metric);

/// The event for a failure that an agent reported, given the trial's last failure. `told.suspect` is the slot on which
/// it happened, whatever its kind, or none if the trial's own messages are wrong. Only crashes and errors keep their
/// suspect.
///
/// An error is a repeated error if its message equals the last one, ignoring digits, and no report came between.
/// Messages of several members of a group about one failure are no repetition. Neither is an error on a slot that is in
/// doubt for the trial (Sweep::is_in_doubt), because the slot may have caused it.
TrialFailed failure_after(const History& history, TrialFailed told, const std::string& message);

/// Shows each long message only once: last words that many trials share are useless if they fill the screen.
class ToldFailures {
  public:
    /// Returns the message, or a reference to the trial that already failed with the same one. Numbers and random names
    /// in messages are ignored.
    std::string words_for(TrialId trial, const std::string& message);

  private:
    std::map<std::string, TrialId> first_;  ///< keys: messages without numbers and random names
};

/// Decides whether a sweep in which no trial has ever reported is worth continuing.
///
/// It is not if three trials have failed for good; if a program ended with status 0 without any report, because all
/// others would do the same; or if a program refused its arguments and all trials that had started by then have failed.
/// (If one of those reports, only that configuration was wrong, and it costs only that trial.)
class Hope {
  public:
    /// Notes the failure of a trial, before `sweep` has taken it.
    void note(ProgramFault fault, const Sweep& sweep);

    bool is_lost(const Sweep& sweep) const;

  private:
    bool never_reports_ = false;
    std::size_t num_suspects_ = 0;  ///< trials that had started when a program first refused its arguments; 0 before
};

}  // namespace crescendo::launch
