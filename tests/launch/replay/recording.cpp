#include "launch/replay/recording.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <variant>

#include "launch/json/event_json.hpp"
#include "tests/error_of.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

namespace {

SweepSpec spec() {
    SweepSpec spec;
    spec.metric = "accuracy";
    spec.goal = Goal::maximize;
    spec.run_cap = 1;
    spec.scheduler.kind = SchedulerKind::fifo;
    spec.scheduler.max = Resource{3};
    return spec;
}

Recording read(const std::string& csv) {
    const TemporaryFolder folder;
    std::ofstream(folder / "curves.csv") << csv;
    return read_recording(folder / "curves.csv", spec());
}

std::string error_of(const std::string& csv) { return tests::error_of([&] { read(csv); }); }

}  // namespace

TEST_CASE("the history of a sweep gives its curves and its times") {
    History history(spec(), Reports::all);
    const auto report = [&](double time, int resource, double accuracy) {
        history.apply({{"event", "trial_reported"},
                       {"time", time},
                       {"trial", 0},
                       {"resource", resource},
                       {"loss", -accuracy},
                       {"metrics", {{"accuracy", accuracy}}}});
    };
    history.apply(session_note(100, "here", 1));
    history.apply({{"event", "slots_joined"}, {"time", 100.0}, {"slots", {{{"slot", 0}, {"node", 0}}}}});
    report(112, 1, 0.5);  // 2 s to start, then 10 s an epoch
    report(122, 2, 0.7);
    report(132, 3, 0.6);
    history.apply(test_note(135, TrialId{0}, {{"accuracy", 0.6}}));

    const auto recording = record(history);

    CHECK(recording.curves.loss(TrialId{0}, Resource{2}) == -0.7);
    CHECK(recording.times.trials.at(0).epoch == doctest::Approx(10));
    CHECK(recording.times.start == doctest::Approx(2));
    CHECK(recording.simulation.back().key == "simulate.evaluation");
    CHECK(std::stod(*recording.simulation.back().value) == doctest::Approx(3));
}

TEST_CASE("a recording knows whether its trials reported step times") {
    const auto recorded = [](const Json& more) {
        History history(spec(), Reports::all);
        history.apply(session_note(100, "here", 1));
        history.apply({{"event", "slots_joined"}, {"time", 100.0}, {"slots", {{{"slot", 0}, {"node", 0}}}}});
        Json report{{"event", "trial_reported"},     {"time", 110.0}, {"trial", 0}, {"resource", 1}, {"loss", -0.5},
                    {"metrics", {{"accuracy", 0.5}}}};
        report.update(more);
        history.apply(report);
        return record(history);
    };

    CHECK_FALSE(recorded(Json::object()).tells_steps);
    CHECK(recorded({{"step", {0.025, 256}}}).tells_steps);
    CHECK(read("trial,resource,accuracy\n0,1,0.5\n")
              .tells_steps);  // unknown, so trials behave like other simulated trials
}

TEST_CASE("the time of a whole regroup is kept even if the trial reports before it obeys the order to grow") {
    auto grows = spec();
    grows.scheduler.kind = SchedulerKind::rasda;
    grows.scheduler.min = Resource{2};
    grows.scheduler.max = Resource{16};
    grows.scheduler.grow_when = GrowWhen::goodput;
    grows.scheduler.expected_regroup = 0.1;
    History history(grows, Reports::all);
    const auto take = [&](double time, const Event& event) {
        auto record = Json::parse(to_json(event).dump());
        record["time"] = time;
        if (std::holds_alternative<TrialReported>(event)) {
            record["metrics"] = {{"accuracy", 0.5}};
        }
        history.apply(record);
    };
    history.apply(session_note(100, "here", 2));
    take(100, SlotsJoined{{{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{0}}}});
    take(101, TrialTimed{TrialId{0}, 0, {0.05, 64.0, {}}, {}});
    take(101.5, TrialReported{TrialId{0}, Resource{1}, -0.5});
    take(103, TrialRegrouped{TrialId{0}, 1, 1.25, 0.03});
    take(110, TrialReported{TrialId{0}, Resource{2}, -0.5});

    const auto recording = record(history);

    const auto& regroup = recording.times.trials.at(0).regroups.at(1);
    CHECK(regroup.seconds == doctest::Approx(0.5));  // the rest of it is a part of the second epoch
    REQUIRE(regroup.told);
    CHECK(regroup.told->after == doctest::Approx(2));
    CHECK(regroup.told->seconds == 1.25);
    CHECK(regroup.told->step_seconds == 0.03);
    CHECK_FALSE(recording.times.trials.at(0).epochs.front().steps.value().seconds);  // the report had none
}

TEST_CASE("a trial's measures of its last group are replayed even if the sweep ended before its next report") {
    auto grows = spec();
    grows.scheduler.kind = SchedulerKind::rasda;
    grows.scheduler.max = Resource{16};
    grows.scheduler.grow_when = GrowWhen::goodput;
    History history(grows, Reports::all);
    const auto take = [&](double time, const Event& event) {
        auto record = Json::parse(to_json(event).dump());
        record["time"] = time;
        record["metrics"] = {{"accuracy", 0.5}};
        history.apply(record);
    };
    history.apply(session_note(100, "here", 2));
    take(100, SlotsJoined{{{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{0}}}});
    take(110, TrialReported{TrialId{0}, Resource{1}, -0.5});
    take(112, TrialRegrouped{TrialId{0}, 1, 1.25, 0.03});
    take(115, TimeUp{});

    const auto recording = record(history);

    const auto& regroups = recording.times.trials.at(0).regroups;
    REQUIRE(regroups.contains(1));
    REQUIRE(regroups.at(1).told);
    CHECK(regroups.at(1).told->after == doctest::Approx(2));
    CHECK(regroups.at(1).told->step_seconds == 0.03);
}

TEST_CASE("curves come from a CSV file, in any order of its columns") {
    const auto recording = read("note,accuracy,trial,resource\nx,0.5,0,1\nx,0.25,1,1\r\n\nx,0.75,0,3\n");

    CHECK(recording.curves.loss(TrialId{0}, Resource{3}) == -0.75);
    CHECK(recording.curves.loss(TrialId{1}, Resource{1}) == -0.25);
    CHECK(recording.times.trials.empty());
    CHECK(recording.simulation.empty());
}

TEST_CASE("seconds in the file are the times of its trials") {
    const auto recording = read("trial,resource,accuracy,seconds\n0,1,0.5,12\n0,2,0.6,22\n");

    CHECK(recording.times.trials.at(0).epoch == doctest::Approx(10));
    CHECK(recording.times.start == doctest::Approx(2));
}

TEST_CASE("the error for a mistake in the file gives its line") {
    CHECK(error_of("trial,resource\n0,1\n").find(":1: there is no column 'accuracy'") != std::string::npos);
    CHECK(error_of("trial,resource,accuracy\n0,1,0.5\n0,2,good\n").find(":3: 'good'") != std::string::npos);
    CHECK(error_of("trial,resource,accuracy\n0,1,\n").find(":2: ''") != std::string::npos);
    CHECK(error_of("trial,resource,accuracy\n-1,1,0.5\n").find(":2: trials count from 0") != std::string::npos);
    CHECK(error_of("trial,resource,accuracy\n0,2,0.5\n0,1,0.5\n").find(":3: ") != std::string::npos);
    CHECK(error_of("trial,resource,accuracy\n").find("no trial has reported") != std::string::npos);
    CHECK(error_of("").find(":1: the file is empty") != std::string::npos);
}

TEST_CASE("a metric is found under its longer name if another column has its name") {
    auto named_so = spec();
    named_so.metric = "seconds";
    const TemporaryFolder folder;
    std::ofstream(folder / "curves.csv") << "trial,resource,seconds,metrics.seconds\n0,1,12,0.5\n0,2,22,0.7\n";

    const auto recording = read_recording(folder / "curves.csv", named_so);

    CHECK(recording.curves.loss(TrialId{0}, Resource{2}) == -0.7);
}
