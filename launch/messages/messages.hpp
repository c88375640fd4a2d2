#pragma once

#include <concepts>
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

/// Orders an agent's workers to form a group. `members` are this agent's workers; the group may have more on other
/// nodes. A worker of the trial's previous group that is not in `members` leaves it, as with LeaveTrial.
struct JoinGroup {
    protocol::Join join;  ///< for each member; its rank is in `members`
    std::vector<Member> members;
    std::vector<std::string> command = {};  ///< for programs: the command to execute
    std::vector<SlotId> slots = {};         ///< for programs: the slots of all members, on all nodes, by rank
};

/// Orders the workers of a trial to leave it; with `save`, after they have saved their state. Each answers with a
/// LeftTrial.
struct LeaveTrial {
    TrialId trial;
    bool save = false;
    bool is_complete = false;  ///< whether the trial has come to its end, so that programs may still have more to do
};

/// Runs a checkpoint's model on a named data set, on an idle worker. The answer is a TrialEvaluated.
struct EvaluateTrial {
    SlotId slot;
    protocol::Evaluate evaluate;
};

/// Returns the rendezvous's answer to the worker that asked.
struct AnswerStore {
    SlotId slot;
    Json answer;
};

/// All members of a group get a protocol::Decision unchanged.
using Order = std::variant<JoinGroup, protocol::Decision, LeaveTrial, EvaluateTrial, AnswerStore>;

// ---- Notices: agent → coordinator ----

struct ProgramEnded {
    TrialId trial;
};

/// A remark for the user about a running program.
struct ProgramRemark {
    TrialId trial;
    std::string message;
};

/// What the end of a program says about the program itself, rather than about one trial.
enum class ProgramFault {
    none,
    never_reports,  ///< it ended with status 0 and has never reported anything
    usage_error,    ///< it refused its arguments: exit status 2, soon after its start
};

struct WorkerFailed {
    TrialId trial;
    SlotId slot;
    FailureKind kind = FailureKind::crash;
    std::string message;
    ProgramFault fault = ProgramFault::none;
    std::string device = {};  ///< the slot's device, for the user: "GPU 3 of node17"
};

/// No trainer runs on the slot: several in a row ended before they had a trial. The work ordered for the slot has not
/// begun. Trainers are started again after increasing waits; each failed attempt sends another notice.
struct SlotDown {
    SlotId slot;
    int num_retries = 0;  ///< attempts since the first such notice, or since the last with a task
    std::string message;
    std::string device = {};  ///< the slot's device, for the user: "GPU 3 of node17"
};

/// A trainer has started again on a slot that was down.
struct SlotUp {
    SlotId slot;
};

/// The disk has no room for the trial's checkpoint, so its worker ends, or for the output of a program whose reports
/// are found in its output.
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
    std::string problem = {};  ///< why its trainer ended early and may not have saved; else empty
};

struct TrialEvaluated {
    TrialId trial;
    protocol::Metrics metrics;
    std::string error;  ///< empty unless the evaluation failed
};

/// A node is silent. Its slots are lost, with everything that ran on them.
struct AgentLost {
    NodeId node;
    std::string reason;
};

/// Joules that a node used since the last such notice, or since its agent was made. Only what is measured is reported.
struct EnergyUsed {
    NodeId node;
    std::string host;       ///< agents of one host all report the same processors
    bool has_cpus = false;  ///< whether processors are measured
    double cpus = 0;
    bool has_gpus = false;               ///< whether a GPU is measured
    std::map<TrialId, double> trials{};  ///< energy of the GPUs of each trial's slots
    double idle_gpus = 0;                ///< energy of GPUs without a trial, and of GPUs that slots share
};

using Notice = std::variant<protocol::Report, ProgramEnded, WorkerFailed, StoreRequest, protocol::Regrouped, LeftTrial,
                            TrialEvaluated, AgentLost, WorkerStranded, CheckpointFailed, SlotDown, SlotUp,
                            ProgramRemark, EnergyUsed, protocol::Timed>;

/// A type that is one of `Kinds`. With it, one function names every kind of notice that it ignores, so a new kind does
/// not compile until it is handled.
template <class Kind, class... Kinds>
concept OneOf = (std::same_as<Kind, Kinds> || ...);

}  // namespace crescendo::launch
