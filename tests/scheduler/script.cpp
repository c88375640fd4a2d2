#include "tests/scheduler/script.hpp"

#include "core/check.hpp"

namespace crescendo {
namespace {

std::string members_of(const Group& group) {
    std::string slots;
    for (const auto slot : group.slots) {
        slots += (slots.empty() ? "" : ",") + std::to_string(slot.value);
    }
    const auto accumulation = group.batch.accumulation == 1 ? "" : text(" a{}", group.batch.accumulation);
    return text("{} g{} b{}{}", slots, group.generation, group.batch.multiple, accumulation);
}

struct Print {
    std::string operator()(const StartTrial& a) const {
        return text("start {} on {}", a.trial.value, members_of(a.group));
    }
    std::string operator()(const ResumeTrial& a) const {
        return text("resume {} on {}", a.trial.value, members_of(a.group));
    }
    std::string operator()(const Regroup& a) const {
        return text("regroup {} on {}", a.trial.value, members_of(a.group));
    }
    std::string operator()(const PauseTrial& a) const { return text("pause {}", a.trial.value); }
    std::string operator()(const StopTrial& a) const {
        return text("stop {} {}", a.trial.value, stop_reasons.of(a.reason));
    }
    std::string operator()(const DropCheckpoint& a) const { return text("drop {}", a.trial.value); }
    std::string operator()(const FinishSweep& a) const {
        return text("finish {} best {}", finish_reasons.of(a.reason), a.best ? std::to_string(a.best->value) : "none");
    }
};

}  // namespace

std::string text_of(const std::vector<Action>& actions) {
    std::string all;
    for (const auto& action : actions) {
        all += (all.empty() ? "" : "; ") + std::visit(Print{}, action);
    }
    return all;
}

std::vector<Slot> slots(int first, int count, NodeId node) {
    std::vector<Slot> slots;
    for (int i = 0; i < count; ++i) {
        slots.push_back({SlotId{first + i}, node});
    }
    return slots;
}

SweepSpec spec_of(int run_cap, int max) {
    SweepSpec spec;
    spec.metric = "loss";
    spec.run_cap = run_cap;
    spec.scheduler.kind = SchedulerKind::rasda;
    spec.scheduler.max = Resource{max};
    spec.scheduler.reduction_factor = 2;
    spec.scheduler.surplus = Switch::off;
    spec.scheduler.batch = BatchPolicy::ladder;
    return spec;
}

SweepSpec spec_of(SchedulerKind kind, int run_cap, int max, Mode mode) {
    auto spec = spec_of(run_cap, max);
    spec.scheduler.kind = kind;
    spec.scheduler.mode = mode;
    return spec;
}

}  // namespace crescendo
