#include "scheduler/ending.hpp"

#include "core/check.hpp"

namespace crescendo {

/// A trial that stopped improving, or ran out of time, would not get better, so its value is final. But with rungs,
/// most trials that end so early are bad, and would be the first results at the highest rung: in simulated sweeps,
/// `tpe` then learned less. If a user or a stop rule ends a trial, its value is only an intermediate one.
Ending ending_of(std::optional<StopReason> reason, bool has_value, bool has_rungs) {
    if (!reason) {
        return Ending::none;
    }
    switch (*reason) {
        case StopReason::completed:
        case StopReason::reached:
            return Ending::complete;
        case StopReason::no_progress:
        case StopReason::timed_out:
            return !has_value ? Ending::lost : has_rungs ? Ending::none : Ending::complete;
        case StopReason::judged:
        case StopReason::requested:
        case StopReason::failed:
            return Ending::lost;
        case StopReason::swept:
            return Ending::none;
    }
    expectation_failed("a StopReason", __FILE__, __LINE__);
}

}  // namespace crescendo
