#include "scheduler/ending.hpp"

#include "core/check.hpp"

namespace crescendo {

/// Who improves no more, or has no more time, would come to nothing better. But where there are rungs, most trials that
/// end so early are bad, and would be the first at the highest rung: in simulated sweeps `tpe` learned less from it.
/// Where a user or a stop rule ends a trial, its value is one on the way.
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
