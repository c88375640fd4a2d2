#pragma once

#include <poll.h>

#include <optional>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "launch/json/json.hpp"
#include "launch/messages/messages.hpp"
#include "launch/process/oom_kills.hpp"
#include "launch/system/clock.hpp"

namespace crescendo::launch {

/// The worker of one slot: at most one trial, and the process that trains it.
///
/// Orders never block; advance() reports their results. The agent calls advance() whenever a descriptor is ready or a
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

    /// Tells the worker to leave the trial, if it has it. A worker whose program has ended by itself also reports that
    /// it left.
    virtual void leave(const LeaveTrial& order) = 0;

    // Only warm trainers evaluate and use the store.
    virtual void evaluate(const EvaluateTrial&) { CRESCENDO_EXPECT(!"a program was to evaluate"); }
    virtual void answer_store(const Json&) { CRESCENDO_EXPECT(!"a program asked the store"); }

    /// Tells the worker's process to end now. The destructor waits until it has ended, or kills it.
    virtual void terminate() = 0;

    /// Appends the notices since the last call to `notices`.
    void advance(std::vector<Notice>& notices) {
        look();
        notices.insert(notices.end(), notices_.begin(), notices_.end());
        notices_.clear();
    }

    /// Excludes `time` from the worker's silence: this process stood still for that long, as in a suspended job, and so
    /// did the worker's process.
    virtual void excuse(Clock::duration time) = 0;

    /// Adds the descriptors that poll() must watch.
    virtual void watch(std::vector<pollfd>& descriptors) const = 0;
    virtual std::optional<Clock::time_point> deadline() const = 0;

  protected:
    OomKills& oom_kills() { return oom_kills_; }
    std::vector<Notice>& notices() { return notices_; }
    void tell(Notice notice) { notices_.push_back(std::move(notice)); }

  private:
    /// Checks what the process does, and whether its time is up.
    virtual void look() = 0;

    SlotId slot_;
    OomKills& oom_kills_;
    std::vector<Notice> notices_;  ///< notices that no advance() has taken yet
};

}  // namespace crescendo::launch
