#pragma once

#include <limits>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/ids.hpp"
#include "launch/messages/json.hpp"
#include "scheduler/events.hpp"

namespace crescendo::launch {

/// What a trial's workers need besides their place in the group. It is the same for all generations of the trial.
struct TrialWork {
    TrialId trial;
    std::uint64_t seed = 0;  ///< the trial's own seed
    std::string directory;   ///< folder of the trial's files; it exists
    Resource max_resource;
    Json settings;                     ///< for warm trainers: the trainer's settings with the trial's parameters
    std::vector<std::string> command;  ///< for any other program: the command to execute
};

struct Member {
    SlotId slot;
    int rank = 0;
};

enum class StateSource { fresh, checkpoint, memory };

// ---- Orders: coordinator → agent ----

/// Orders an agent's workers to form a group. `members` are this agent's; the group may have more on other nodes. A
/// worker that was in the trial's group and is not named leaves it, as with LeaveTrial.
struct JoinGroup {
    TrialWork work;
    int generation = 0;
    int size = 1;
    std::vector<Member> members;
    StateSource state = StateSource::fresh;
    int batch_multiple = 1;
    int accumulation = 1;
    Resource checkpoint_at;
    Resource reported;  ///< resource of the last report in the journal; 0 before the first
};

/// Answers a report: the trial continues to train.
struct GoOn {
    TrialId trial;
    int batch_multiple = 1;
    Resource checkpoint_at;
};

/// Orders the workers to leave the trial. With `save`, they write its checkpoint first. Each member answers with a
/// LeftTrial.
struct LeaveTrial {
    TrialId trial;
    bool save = false;
};

/// Runs the checkpoint's model over a named data set, on an idle worker. The answer is a TrialEvaluated.
struct EvaluateTrial {
    TrialWork work;
    SlotId slot;
    Resource resource;  ///< resource that the trial has reported; an older checkpoint is refused
    std::string checkpoint;
    std::string data;  ///< "validation" or "test"
};

/// Passes the answer of the rendezvous to the worker that asked.
struct AnswerStore {
    SlotId slot;
    Json answer;
};

using Order = std::variant<JoinGroup, GoOn, LeaveTrial, EvaluateTrial, AnswerStore>;

// ---- Notices: agent → coordinator ----

struct TrialMetrics {
    TrialId trial;
    Resource resource;
    std::map<std::string, double> metrics;  ///< NaN if a value is not finite
    /// Share of the time since the previous report that the group waited for data. NaN: the trainer does not report it.
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

/// The disk has no room for the trial's checkpoint, and its worker ends.
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
    double seconds = 0;  ///< time from the order at rank 0 to the end of the first step
};

/// A member's group broke. The member keeps its state in memory and waits for an order.
struct WorkerStranded {
    TrialId trial;
    SlotId slot;
    int generation = 0;
};

struct LeftTrial {
    TrialId trial;
    SlotId slot;
    std::string problem = {};  ///< why its trainer ended before it had left and may not have saved; else empty
};

struct TrialEvaluated {
    TrialId trial;
    std::map<std::string, double> metrics;
    std::string error;  ///< empty unless the evaluation failed
};

/// A node no longer gives any sign of life. Its slots are gone, with everything that ran on them.
struct AgentLost {
    NodeId node;
    std::string reason;
};

using Notice = std::variant<TrialMetrics, ProgramEnded, WorkerFailed, StoreRequest, GroupFormed, LeftTrial,
                            TrialEvaluated, AgentLost, WorkerStranded, CheckpointFailed, SlotDown, SlotUp>;

}  // namespace crescendo::launch
