#include "launch/report/best_so_far.hpp"

#include <doctest/doctest.h>

#include "launch/json/event_json.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

/// The history of a sweep on two slots, built record by record.
struct Told {
    explicit Told(int run_cap, int times = 1) : history(spec_with(run_cap, times), Reports::all) {
        history.apply(session_note(100.0, "host", 2));
        tell(100, SlotsJoined{{{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{0}}}}, nullptr);
    }

    static SweepSpec spec_with(int run_cap, int times) {
        SweepSpec spec;
        spec.metric = "loss";
        spec.run_cap = run_cap;
        spec.space = SearchSpace({{"lr", Uniform{0.0, 1.0}}});
        spec.scheduler.kind = SchedulerKind::fifo;
        spec.scheduler.max = Resource{9};
        spec.repeat.times = times;
        return spec;
    }

    void tell(double time, const Event& event, const Json& metrics) {
        Json record = launch::to_json(event);
        record["time"] = time;
        record["metrics"] = metrics;
        history.apply(record);
    }

    void report(double time, int trial, int resource, double loss) {
        tell(time, TrialReported{TrialId{trial}, Resource{resource}, loss}, {{"loss", loss}});
    }

    History history;
};

}  // namespace

TEST_CASE("only reports better than all earlier reports are improvements, in the order of time") {
    Told told(/*run_cap=*/2);
    told.report(101, 1, 1, 0.5);
    told.report(102, 0, 1, 0.7);
    told.report(103, 0, 2, 0.4);
    told.report(104, 1, 2, 0.4);  // no better

    const auto found = best_so_far(told.history);

    REQUIRE(found.size() == 2);
    CHECK(found[0].trial == TrialId{1});
    CHECK(found[0].time == doctest::Approx(1));
    CHECK(found[1].trial == TrialId{0});
    CHECK(found[1].value == 0.4);
}

TEST_CASE("a repeated configuration improves once the last of its trials has reported at the same resource") {
    Told told(/*run_cap=*/1, /*times=*/2);
    told.report(101, 0, 1, 0.1);
    told.report(102, 0, 2, 0.1);
    told.report(103, 1, 1, 0.5);

    const auto found = best_so_far(told.history);

    REQUIRE(found.size() == 1);
    CHECK(found[0].time == doctest::Approx(3));
    CHECK(found[0].value == doctest::Approx(0.3));

    told.tell(104, TrialFinished{TrialId{0}}, nullptr);  // by itself, so that it counts with its last report
    told.report(105, 1, 2, 0.4);
    told.report(106, 1, 3, 0.2);

    const auto later = best_so_far(told.history);

    REQUIRE(later.size() == 3);
    CHECK(later[1].value == doctest::Approx(0.25));
    CHECK(later[2].time == doctest::Approx(6));
    CHECK(later[2].value == doctest::Approx(0.15));
}
