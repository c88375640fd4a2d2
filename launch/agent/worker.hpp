#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launch/agent/agent_setup.hpp"
#include "launch/messages/line_channel.hpp"
#include "launch/messages/messages.hpp"
#include "launch/slots/slot_plan.hpp"
#include "launch/system/child_process.hpp"
#include "launch/system/oom_kills.hpp"
#include "launch/system/tcp_port.hpp"

namespace crescendo::launch {

using Clock = std::chrono::steady_clock;

/// Where a group meets whose rank 0 is on a slot.
struct MeetingPlace {
    std::string host;
    std::string address;
    int port = 0;
};

/// How this node runs its workers.
struct WorkerOptions {
    AgentSetup setup;
    std::string trainer;               ///< path of crescendo-trainer
    std::string guard;                 ///< path of crescendo-guard
    SlotId first_slot;                 ///< first slot of this node
    std::vector<SlotResources> slots;  ///< what each slot of this node gets, from first_slot on
    std::string shared_memory;         ///< path of memory that crescendo-trainer shares on this node; may be empty
    std::chrono::milliseconds grace{5'000};       ///< time for a program to leave before it gets SIGTERM
    std::chrono::milliseconds death{10'000};      ///< time for a warm trainer to end after it was killed
    std::chrono::milliseconds doubt{2'000};       ///< time for an order to leave after a program ended by SIGTERM
    std::chrono::milliseconds patience{600'000};  ///< time after which a program without a report is remarked on
    std::vector<MeetingPlace> places;             ///< of all slots on all nodes, by their ids; for programs
    std::vector<TcpPort> ports;                   ///< those of this node's places, which nobody else is to take
};

/// What runs on one slot: at most one trial, and the process that trains it.
///
/// Orders never block. advance() collects their results. The agent calls it whenever a descriptor is ready or a
/// deadline has passed.
class Worker {
  public:
    /// `oom_kills` must outlive the worker.
    Worker(SlotId slot, OomKills& oom_kills) : slot_(slot), oom_kills_(oom_kills) {}
    virtual ~Worker() = default;

    SlotId slot() const { return slot_; }

    /// The trial that the worker trains, or will train once its process is free.
    virtual std::optional<TrialId> trial() const = 0;

    virtual void join(const JoinGroup& order, int rank) = 0;
    virtual void go_on(const protocol::Decision& order) = 0;

    /// Tells the worker to leave the trial, if it has it. One whose program has ended by itself says that it left.
    virtual void leave(TrialId trial, bool save) = 0;

    virtual void evaluate(const EvaluateTrial& order) = 0;
    virtual void answer_store(const Json& answer) = 0;

    /// Tells the worker's process to end now. The destructor waits until it has ended, or kills it.
    virtual void terminate() = 0;

    virtual void advance(std::vector<Notice>& notices) = 0;

    /// This process stood still for so long, as in a job that was suspended, and so did the worker's: the time does not
    /// count as its silence.
    virtual void excuse(Clock::duration time) = 0;

    /// Adds the descriptors that poll() has to watch.
    virtual void watch(std::vector<pollfd>& descriptors) const = 0;
    virtual std::optional<Clock::time_point> deadline() const = 0;

  protected:
    OomKills& oom_kills() { return oom_kills_; }

  private:
    SlotId slot_;
    OomKills& oom_kills_;
};

/// Kind of failure that the end of a worker's process shows, if Crescendo has not killed it.
FailureKind kind_of(const ExitStatus& status, OomKills& oom_kills);

/// Time for a guard to find and kill all that a program started. One that needs longer is stuck itself.
inline constexpr std::chrono::seconds time_of_the_guard{10};

/// A process and the channel to it, for both kinds of worker.
struct ConnectedProcess {
    explicit ConnectedProcess(const ProcessOptions& options) : process(options), channel(process.socket().get()) {}

    /// Waits until the process has ended, at most so long.
    void await_end(std::chrono::milliseconds patience) const;

    void watch(std::vector<pollfd>& descriptors) const;

    ChildProcess process;
    LineChannel channel;
};

/// The command that runs a program under crescendo-guard, which on SIGTERM passes it on and kills, after `grace`, what
/// has not left; on SIGQUIT at once.
std::vector<std::string> guarded(const std::vector<std::string>& command, const WorkerOptions& options,
                                 std::chrono::milliseconds grace);

/// What the worker on `slot` gets: cores, threads, a GPU.
const SlotResources& resources_of(const WorkerOptions& options, SlotId slot);

/// What a user looks after if trials fail on `slot`: "GPU 3 of node17", with ", which 2 slots share" if they do; or
/// "cores 4-7 of node17"; "node17" where the worker may run on any core.
std::string device_name(const WorkerOptions& options, SlotId slot);

/// Variables of a worker's environment that choose the slot's device.
std::vector<std::pair<std::string, std::string>> device_environment(const WorkerOptions& options, SlotId slot);

/// What is wrong with a message, in a sentence: without the marks that the JSON library puts before it.
std::string plain(const std::exception& error);

/// Reads a report of the trial protocol. Texts among its metrics are left out. Throws, with the problem and the remedy,
/// if it lacks `resource` or `metrics`, or if they are something else.
protocol::Report report_from(TrialId trial, const Json& message);

/// Why a worker was killed, for messages.
std::string no_progress_for(std::chrono::milliseconds silence);

/// The end of a log file, for messages, and no more than what is behind its first `begin` bytes. Empty if there is no
/// such file.
std::string last_words(const std::string& log, std::uintmax_t begin = 0);

/// "last words: …" for messages, or that there are none.
std::string quoted(const std::string& last_words);

}  // namespace crescendo::launch
