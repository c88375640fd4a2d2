#pragma once

#include <utility>
#include <variant>

#include "launch/journal/history.hpp"
#include "launch/json/event_json.hpp"

namespace crescendo::tests {

/// The history of a sweep on two slots, which began at 100.
struct Told {
    /// Rungs at 1, 3 and 9.
    static SweepSpec spec_of(int trials) {
        SweepSpec spec;
        spec.metric = "loss";
        spec.run_cap = trials;
        spec.space = SearchSpace({{"lr", Uniform{0.0, 1.0}}});
        spec.scheduler.kind = SchedulerKind::asha;
        spec.scheduler.max = Resource{9};
        return spec;
    }

    explicit Told(int trials) : Told(spec_of(trials)) {}
    explicit Told(SweepSpec spec) : history(std::move(spec)) {
        history.apply(launch::session_note(100.0, "host", 2));
        tell(100.0, SlotsJoined{{{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{0}}}});
    }

    void tell(double time, const Event& event) {
        launch::Json record = launch::to_json(event);
        record["time"] = time;
        if (const auto* report = std::get_if<TrialReported>(&event)) {
            record["metrics"] = {{"loss", report->loss}};
        }
        history.apply(record);
    }

    launch::History history;
};

}  // namespace crescendo::tests
