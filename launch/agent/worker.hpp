#pragma once

#include <poll.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launch/messages/line_channel.hpp"
#include "launch/messages/messages.hpp"
#include "launch/slots/slot_plan.hpp"
#include "launch/system/child_process.hpp"
#include "launch/system/oom_kills.hpp"

namespace crescendo::launch {

using Clock = std::chrono::steady_clock;

/// How this node runs its workers.
struct WorkerOptions {
    std::string directory;             ///< working directory of the programs
    std::string trainer;               ///< path of crescendo-trainer
    std::string guard;                 ///< path of crescendo-guard
    std::string log;                   ///< what warm trainers print while they hold no trial
    SlotId first_slot;                 ///< of this node
    std::vector<SlotResources> slots;  ///< of this node, from first_slot on
    std::string interface;  ///< by which groups meet, where the environment does not say; the trainer's choice if empty
    std::chrono::milliseconds grace{5'000};                 ///< for a program to leave before it gets SIGTERM
    std::optional<std::chrono::milliseconds> hang_timeout;  ///< silence after which a worker is killed
    std::chrono::seconds save_timeout{60};                  ///< for a warm trainer to obey `leave` before it is killed
    std::chrono::milliseconds restart_interval{10'000};     ///< to the next trainer on a slot where none could start
};

/// What sits on one slot: at most one trial, and the process that trains it.
///
/// Orders never block. What comes of them is collected by advance(), which the agent calls
/// whenever a descriptor is ready or a deadline has passed.
class Worker {
  public:
    /// `oom_kills` outlives the worker.
    Worker(SlotId slot, OomKills& oom_kills) : slot_(slot), oom_kills_(oom_kills) {}
    virtual ~Worker() = default;

    SlotId slot() const { return slot_; }

    /// The trial it works for, or will once its process is free.
    virtual std::optional<TrialId> trial() const = 0;

    virtual void join(const JoinGroup& order, int rank) = 0;
    virtual void go_on(const GoOn& order) = 0;
    virtual void leave(bool save) = 0;
    virtual void evaluate(const EvaluateTrial& order) = 0;
    virtual void answer_store(const Json& answer) = 0;

    /// Its process is to end now. The destructor waits until it has, or kills it.
    virtual void terminate() = 0;

    virtual void advance(std::vector<Notice>& notices) = 0;

    /// What poll() has to watch.
    virtual void watch(std::vector<pollfd>& descriptors) const = 0;
    virtual std::optional<Clock::time_point> deadline() const = 0;

  protected:
    /// What the end of its process tells, where nobody of us has killed it.
    FailureKind kind_of(const ExitStatus& status);

  private:
    SlotId slot_;
    OomKills& oom_kills_;
};

/// A process with its channel, as both kinds of worker hold it.
struct ConnectedProcess {
    explicit ConnectedProcess(const ProcessOptions& options) : process(options), channel(process.socket().get()) {}

    void watch(std::vector<pollfd>& descriptors) const;

    ChildProcess process;
    LineChannel channel;
};

/// What the worker on `slot` gets of this node.
const SlotResources& resources_of(const WorkerOptions& options, SlotId slot);

/// What chooses the slot's device in a worker's environment.
std::vector<std::pair<std::string, std::string>> device_environment(const WorkerOptions& options, SlotId slot);

/// A report of the trial protocol. Throws where it has no `resource` or `metrics`.
TrialMetrics report_from(TrialId trial, const Json& message);

/// Why a worker was killed, for messages.
std::string no_progress_for(std::chrono::milliseconds silence);

/// The end of a log file, for messages; empty where there is none.
std::string last_words(const std::string& log);

}  // namespace crescendo::launch
