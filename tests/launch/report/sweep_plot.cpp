#include "launch/report/sweep_plot.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <ranges>

#include "launch/json/event_json.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

History history_with(const std::vector<double>& values) {
    SweepSpec spec;
    spec.metric = "loss";
    spec.run_cap = 1;
    spec.space = SearchSpace({{"lr", Uniform{0.0, 1.0}}});
    spec.scheduler.kind = SchedulerKind::fifo;
    spec.scheduler.max = Resource{99};
    History history(spec, Reports::all);
    history.apply(session_note(100.0, "host", 1));
    Json joined = launch::to_json(Event{SlotsJoined{{{SlotId{0}, NodeId{0}}}}});
    joined["time"] = 100;
    history.apply(joined);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto resource = static_cast<std::int64_t>(i + 1);
        Json report = launch::to_json(Event{TrialReported{TrialId{0}, Resource{resource}, values[i]}});
        report["time"] = 101.0 + static_cast<double>(i);
        report["metrics"] = {{"loss", values[i]}};
        history.apply(report);
    }
    return history;
}

}  // namespace

TEST_CASE("both charts have the best value at the correct end of the axis") {
    const auto plot = sweep_plot(history_with({0.9, 0.5, 0.6}), 60);

    REQUIRE(plot.size() == 25);  // two charts of 12 lines, and one between them
    CHECK(plot[0] == "loss, best so far");
    CHECK(plot[9].starts_with("     0.5 ┤"));
    CHECK(plot[13] == "loss of each trial (1)");
    CHECK(plot[24].ends_with("3"));
}

TEST_CASE("a value far worse than all others does not squeeze them") {
    std::vector<double> values(40, 0.5);
    values[0] = 1e12;
    values[1] = 0.6;

    const auto plot = sweep_plot(history_with(values), 60);

    CHECK(plot[0] == "loss, best so far (at first above the chart)");
    CHECK(plot[13] == "loss of each trial (1; above the chart: 1)");
    CHECK(plot[14].find("e+") == std::string::npos);
}

TEST_CASE("many diverged values do not squeeze all others") {
    std::vector<double> values(40, 1e30);
    std::ranges::fill(values | std::views::drop(10), 0.5);
    values[39] = 0.2;

    const auto plot = sweep_plot(history_with(values), 60);

    CHECK(plot[1].starts_with("     0.5 ┤"));
    CHECK(plot[14].starts_with("     0.5 ┤"));
    CHECK(plot[22].starts_with("     0.2 ┤"));
}

TEST_CASE("the plot of a sweep without reports says that there is nothing to draw, and trials may be left out") {
    CHECK(sweep_plot(history_with({}), 60)[1] == "  nothing to draw yet");
    CHECK(sweep_plot(history_with({0.5}), 60, [](TrialId) { return false; }).back() == "  nothing to draw yet");
}
