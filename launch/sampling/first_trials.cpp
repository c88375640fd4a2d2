#include "launch/sampling/first_trials.hpp"

#include "launch/sampling/proposal_source.hpp"

namespace crescendo::launch {

Sweep first_trials(const SweepFile& file, int count, const std::function<void(const std::string&)>& say,
                   const std::function<void(const std::string&)>& note) {
    auto spec = file.spec;
    spec.scheduler = {};
    spec.scheduler.kind = SchedulerKind::fifo;
    spec.run_cap = count;
    Sweep sweep(spec);
    const auto source = make_source(file, {.say = say, .note = note});
    SlotsJoined joined;
    for (std::int32_t slot = 0; slot < count; ++slot) {
        joined.slots.push_back({SlotId{slot}, NodeId{0}});
    }
    sweep.apply(joined);
    while (const auto event = source->await_next(sweep)) {
        sweep.apply(*event);
    }
    return sweep;
}

}  // namespace crescendo::launch
