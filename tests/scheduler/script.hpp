#pragma once

#include <string>
#include <vector>

#include "scheduler/sweep/sweep.hpp"

namespace crescendo {

/// Actions as text, one after the other: "stop 0 judged; drop 0; start 2 on 0,1 g0 b2". g is the generation, b the
/// batch multiple, and a the accumulation if it is not 1. The text has everything that an action holds.
std::string text_of(const std::vector<Action>& actions);

/// `count` slots on one node, numbered from `first`.
std::vector<Slot> slots(int first, int count, NodeId node = NodeId{0});

/// A valid spec: the published rasda (no surplus) with eta and scaling 2, milestones 1, 2, 4, …, `max`. The batch is
/// `ladder`, so that the actions show the targets.
SweepSpec spec_of(int run_cap, int max);
/// The same milestones under another scheduler.
SweepSpec spec_of(SchedulerKind kind, int run_cap, int max, Mode mode = Mode::stop);

/// A sweep with a one-line call for each event.
struct Script {
    explicit Script(SweepSpec spec) : sweep(std::move(spec)) {}
    explicit Script(Sweep made) : sweep(std::move(made)) {}

    Sweep sweep;

    std::string apply(const Event& event) { return text_of(sweep.apply(event)); }
    std::string join(int count) { return apply(SlotsJoined{slots(sweep.num_slots(), count)}); }
    std::string lose(const std::vector<SlotId>& lost) { return apply(SlotsLost{lost}); }
    std::string report(int trial, int resource, double loss, std::optional<double> seconds = {}) {
        return apply(TrialReported{TrialId{trial}, Resource{resource}, loss, seconds});
    }
    std::string report(int trial, int resource, double loss, const Steps& steps) {
        return apply(TrialReported{TrialId{trial}, Resource{resource}, loss, std::nullopt, steps});
    }
    std::string finish(int trial) { return apply(TrialFinished{TrialId{trial}}); }
    std::string fail(int trial, FailureKind kind = FailureKind::crash) {
        return apply(TrialFailed{TrialId{trial}, kind});
    }
    std::string fail_worker(int trial, int slot, FailureKind kind = FailureKind::crash) {
        return apply(TrialFailed{TrialId{trial}, kind, SlotId{slot}});
    }

    /// A worker fails, and its slot may be to blame.
    std::string fail_on(int slot, int trial, FailureKind kind = FailureKind::error) {
        return apply(TrialFailed{TrialId{trial}, kind, SlotId{slot}, SlotId{slot}});
    }

    std::string retry(int trial) { return apply(TrialRetried{TrialId{trial}}); }
    std::string stop(int trial) { return apply(TrialStopped{TrialId{trial}}); }
    std::string hold(int trial, HoldAt at = HoldAt::once) { return apply(TrialHeld{TrialId{trial}, at}); }
    std::string release(int trial) { return apply(TrialReleased{TrialId{trial}}); }
    std::string change(const Limits& limits) { return apply(LimitsChanged{limits}); }
    /// Changes nothing else.
    std::string change_run_cap(std::optional<int> run_cap) {
        auto limits = limits_of(sweep.spec());
        limits.run_cap = run_cap;
        return change(limits);
    }

    const Trial& trial(int id) const { return sweep.trial(TrialId{id}); }
};

}  // namespace crescendo
