#include "launch/report/best_so_far.hpp"

#include <doctest/doctest.h>

#include "launch/json/event_json.hpp"

using namespace crescendo;
using namespace crescendo::launch;

TEST_CASE("only reports that are better than all before them are improvements, in the order of time") {
    SweepSpec spec;
    spec.metric = "loss";
    spec.run_cap = 2;
    spec.space = SearchSpace({{"lr", Uniform{0.0, 1.0}}});
    spec.scheduler.kind = SchedulerKind::fifo;
    spec.scheduler.max = Resource{9};
    History history(spec, Reports::all);
    history.apply(session_note(100.0, "host", 2));
    const auto tell = [&](double time, const Event& event, const Json& metrics) {
        Json record = launch::to_json(event);
        record["time"] = time;
        record["metrics"] = metrics;
        history.apply(record);
    };
    tell(100, SlotsJoined{{{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{0}}}}, nullptr);
    tell(101, TrialReported{TrialId{1}, Resource{1}, 0.5}, {{"loss", 0.5}});
    tell(102, TrialReported{TrialId{0}, Resource{1}, 0.7}, {{"loss", 0.7}});
    tell(103, TrialReported{TrialId{0}, Resource{2}, 0.4}, {{"loss", 0.4}});
    tell(104, TrialReported{TrialId{1}, Resource{2}, 0.4}, {{"loss", 0.4}});  // no better

    const auto found = best_so_far(history);

    REQUIRE(found.size() == 2);
    CHECK(found[0].trial == TrialId{1});
    CHECK(found[0].time == doctest::Approx(1));
    CHECK(found[1].trial == TrialId{0});
    CHECK(found[1].value == 0.4);
}

TEST_CASE("where trials are repetitions, a configuration improves once the last of them has reported as far") {
    SweepSpec spec;
    spec.metric = "loss";
    spec.run_cap = 1;
    spec.space = SearchSpace({{"lr", Uniform{0.0, 1.0}}});
    spec.scheduler.kind = SchedulerKind::fifo;
    spec.scheduler.max = Resource{9};
    spec.repeat.times = 2;
    History history(spec, Reports::all);
    history.apply(session_note(100.0, "host", 2));
    const auto tell = [&](double time, const Event& event, const Json& metrics) {
        Json record = launch::to_json(event);
        record["time"] = time;
        record["metrics"] = metrics;
        history.apply(record);
    };
    tell(100, SlotsJoined{{{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{0}}}}, nullptr);
    tell(101, TrialReported{TrialId{0}, Resource{1}, 0.1}, {{"loss", 0.1}});
    tell(102, TrialReported{TrialId{0}, Resource{2}, 0.1}, {{"loss", 0.1}});
    tell(103, TrialReported{TrialId{1}, Resource{1}, 0.5}, {{"loss", 0.5}});

    const auto found = best_so_far(history);

    REQUIRE(found.size() == 1);
    CHECK(found[0].time == doctest::Approx(3));
    CHECK(found[0].value == doctest::Approx(0.3));

    tell(104, TrialFinished{TrialId{0}}, nullptr);  // by itself, so that it counts with its last report
    tell(105, TrialReported{TrialId{1}, Resource{2}, 0.4}, {{"loss", 0.4}});
    tell(106, TrialReported{TrialId{1}, Resource{3}, 0.2}, {{"loss", 0.2}});

    const auto later = best_so_far(history);

    REQUIRE(later.size() == 3);
    CHECK(later[1].value == doctest::Approx(0.25));
    CHECK(later[2].time == doctest::Approx(6));
    CHECK(later[2].value == doctest::Approx(0.15));
}
