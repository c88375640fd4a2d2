#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/ids.hpp"
#include "core/trial_protocol.hpp"
#include "launch/json/json.hpp"
#include "scheduler/events.hpp"

namespace crescendo::launch {

struct Member {
    SlotId slot;
    int rank = 0;
};

// ---- Orders: coordinator → agent ----

/// Orders an agent's workers to form a group. `members` are this agent's; the group may have more on other nodes. A
/// worker that was in the trial's group and is not named leaves it, as with protocol::Leave.
struct JoinGroup {
    protocol::Join join;  ///< for each of them; its rank is in `members`
    std::vector<Member> members;
    std::vector<std::string> command = {};  ///< for programs: the command to execute
    std::vector<SlotId> slots = {};         ///< for programs: those of all members, on all nodes, by rank
};

/// Runs a checkpoint's model over a named data set, on an idle worker. The answer is a TrialEvaluated.
struct EvaluateTrial {
    SlotId slot;
    protocol::Evaluate evaluate;
};

/// Passes the answer of the rendezvous to the worker that asked.
struct AnswerStore {
    SlotId slot;
    Json answer;
};

/// All members of a group get the protocol's own messages as they are. Each answers protocol::Leave with a LeftTrial.
using Order = std::variant<JoinGroup, protocol::Decision, protocol::Leave, EvaluateTrial, AnswerStore>;

// ---- Notices: agent → coordinator ----

struct ProgramEnded {
    TrialId trial;
};

/// What the user should know of a program that runs.
struct ProgramRemark {
    TrialId trial;
    std::string message;
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
    std::string device = {};  ///< what the slot is, for the user: "GPU 3 of node17"
};

/// No trainer stays on the slot: several in a row ended before they had a trial. Whatever it was to train there is not
/// begun. It is tried again after longer and longer times; another notice follows each vain attempt.
struct SlotDown {
    SlotId slot;
    int num_retries = 0;  ///< attempts since the first such notice, or since the last that trained
    std::string message;
    std::string device = {};  ///< what the slot is, for the user: "GPU 3 of node17"
};

/// A trainer could be started there after all.
struct SlotUp {
    SlotId slot;
};

/// The disk has no room for the trial's checkpoint, and its worker ends; or for what a program prints, where its
/// reports are.
struct CheckpointFailed {
    TrialId trial;
    SlotId slot;
    std::string message;
};

struct StoreRequest {
    SlotId slot;
    Json request;
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
    protocol::Metrics metrics;
    std::string error;  ///< empty unless the evaluation failed
};

/// A node no longer gives any sign of life. Its slots are gone, with everything that ran on them.
struct AgentLost {
    NodeId node;
    std::string reason;
};

/// Joules that a node used since the last such notice, or since its agent was made. Only what is measured is told.
struct EnergyUsed {
    NodeId node;
    std::string host;       ///< several agents of one host tell of the same processors
    bool has_cpus = false;  ///< whether processors are measured
    double cpus = 0;
    bool has_gpus = false;               ///< whether a GPU is measured
    std::map<TrialId, double> trials{};  ///< the GPUs of each trial's slots
    double idle_gpus = 0;                ///< GPUs of slots without a trial, and those that slots share
};

using Notice = std::variant<protocol::Report, ProgramEnded, WorkerFailed, StoreRequest, protocol::Regrouped, LeftTrial,
                            TrialEvaluated, AgentLost, WorkerStranded, CheckpointFailed, SlotDown, SlotUp,
                            ProgramRemark, EnergyUsed, protocol::Timed>;

}  // namespace crescendo::launch
