#pragma once

#include <limits>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/ids.hpp"
#include "launch/json.hpp"
#include "scheduler/events.hpp"

namespace crescendo::launch {

/// What a trial's workers need besides their place in the group; the same for all its generations.
struct TrialWork {
    TrialId trial;
    std::uint64_t seed = 0;  ///< the trial's own
    std::string directory;   ///< of its files; exists
    Resource max_resource;
    Json settings;                     ///< warm trainers: the trainer's settings with the trial's parameters
    std::vector<std::string> command;  ///< any other program: what to execute
};

struct Member {
    SlotId slot;
    int rank = 0;
};

enum class StateSource { fresh, checkpoint, memory };

// ---- Orders: coordinator → agent ----

/// Form a group: the members named are this agent's, the group may have more elsewhere. Who was in the trial's group
/// and is not named leaves it, as with LeaveTrial.
struct JoinGroup {
    TrialWork work;
    int generation = 0;
    int size = 1;
    std::vector<Member> members;
    StateSource state = StateSource::fresh;
    int batch_multiple = 1;
    int accumulation = 1;
    Resource checkpoint_at;
    Resource reported;  ///< of the last report that is in the journal; 0 before the first
};

/// The answer to a report: train on.
struct GoOn {
    TrialId trial;
    int batch_multiple = 1;
    Resource checkpoint_at;
};

/// Let go of the trial. With `save`, its checkpoint is written first. A LeftTrial answers for each member.
struct LeaveTrial {
    TrialId trial;
    bool save = false;
};

/// Run the checkpoint's model over a named data set on an idle worker. A TrialEvaluated answers.
struct EvaluateTrial {
    TrialWork work;
    SlotId slot;
    Resource resource;  ///< that the trial has reported: a checkpoint of less does not count
    std::string checkpoint;
    std::string data;  ///< "validation" or "test"
};

/// Passes the answer of the rendezvous on to the worker that asked.
struct AnswerStore {
    SlotId slot;
    Json answer;
};

using Order = std::variant<JoinGroup, GoOn, LeaveTrial, EvaluateTrial, AnswerStore>;

// ---- Notices: agent → coordinator ----

struct TrialMetrics {
    TrialId trial;
    Resource resource;
    std::map<std::string, double> metrics;  ///< not finite: NaN
    /// Share of the time since the report before it that the group waited for data; NaN: the trainer does not say.
    double data_wait = std::numeric_limits<double>::quiet_NaN();
};

struct ProgramEnded {
    TrialId trial;
};

/// What a program's end says of the program itself rather than of one trial.
enum class ProgramFault {
    none,
    never_reports,  ///< it ended well and has never reported anything
    usage_error,    ///< it refused its arguments: exit status 2, soon after its start
};

struct WorkerFailed {
    TrialId trial;
    SlotId slot;
    FailureKind kind = FailureKind::crash;
    std::string message;
    ProgramFault fault = ProgramFault::none;
};

/// No trainer can be started on the slot: several in a row ended before they were ready. Whatever it was to train there
/// is not begun. It is tried again after longer and longer times; another notice follows each vain attempt.
struct SlotDown {
    SlotId slot;
    int num_retries = 0;  ///< attempts since the first such notice
    std::string message;
};

/// A trainer could be started there after all.
struct SlotUp {
    SlotId slot;
};

/// There is no room for the trial's checkpoint, and its worker ends.
struct CheckpointFailed {
    TrialId trial;
    SlotId slot;
    std::string message;
};

struct StoreRequest {
    SlotId slot;
    Json request;
};

struct GroupFormed {
    TrialId trial;
    int generation = 0;
    double seconds = 0;  ///< from the order at rank 0 to the end of the first step
};

/// A member's group broke, and it waits for an order with all that it holds.
struct WorkerStranded {
    TrialId trial;
    SlotId slot;
    int generation = 0;
};

struct LeftTrial {
    TrialId trial;
    SlotId slot;
    std::string problem = {};  ///< its trainer ended before it had left and may not have saved, for this; else empty
};

struct TrialEvaluated {
    TrialId trial;
    std::map<std::string, double> metrics;
    std::string error;  ///< empty unless it failed
};

/// A node gives no sign of life any more; its slots are gone, with all that ran on them.
struct AgentLost {
    NodeId node;
    std::string reason;
};

using Notice = std::variant<TrialMetrics, ProgramEnded, WorkerFailed, StoreRequest, GroupFormed, LeftTrial,
                            TrialEvaluated, AgentLost, WorkerStranded, CheckpointFailed, SlotDown, SlotUp>;

}  // namespace crescendo::launch
