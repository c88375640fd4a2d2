#include "scheduler/schedulers/any_scheduler.hpp"

#include "core/check.hpp"

namespace crescendo {

AnyScheduler::AnyScheduler(const SweepSpec& spec) : scheduler_(make(spec)) {}

AnyScheduler::Kinds AnyScheduler::make(const SweepSpec& spec) {
    if (spec.repeat.is_on()) {
        return RepeatedAsha(spec);
    }
    switch (spec.scheduler.kind) {
        case SchedulerKind::fifo:
            return Asha(spec);
        case SchedulerKind::asha:
        case SchedulerKind::rasda:
        case SchedulerKind::async_hyperband:
            return spec.scheduler.mode == Mode::stop ? Kinds(Asha(spec)) : Kinds(PromotingAsha(spec));
        case SchedulerKind::successive_halving:
        case SchedulerKind::hyperband:
            return Hyperband(spec);
        case SchedulerKind::pasha:
            return Pasha(spec);
        case SchedulerKind::median:
            return Median(spec);
    }
    expectation_failed("a SchedulerKind", __FILE__, __LINE__);
}

}  // namespace crescendo
