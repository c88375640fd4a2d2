#include "core/files/durable_file.hpp"
#include "launch/coordinator/session_end.hpp"

#include <doctest/doctest.h>

#include <csignal>

#include "launch/json/event_json.hpp"
#include "launch/system/wall_clock.hpp"
#include "tests/launch/coordinator/stage.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::Stage;

TEST_CASE("near the deadline, each program gives way at its report, and the session ends when all have done so") {
    Stage stage("run_cap: 4\n", "{type: fifo, max: 4}");
    stage.file.trainer.reset();
    stage.file.command = {"train"};
    const double now = wall_clock();
    const auto happen = [&](double time, const Event& event) {
        Json record = to_json(event);
        record["time"] = time;
        record["metrics"] = {{"accuracy", 0.5}};
        stage.history.apply(record);
    };
    stage.history.apply(session_note(now - 2000, "before", 2));
    happen(now - 2000, SlotsJoined{stage.agents.slots()});
    happen(now - 1000, TrialReported{TrialId{0}, Resource{1}, 0.5});  // 2 slots for 1000 s: 2000 s for a report
    stage.agents.report(0, 2, 0.5);
    stage.agents.report(1, 1, 0.5);

    const auto outcome = stage.run({{now + 1500}});

    CHECK(outcome == Outcome::interrupted);
    CHECK(stage.agents.sent<protocol::Decision>().empty());
    CHECK(stage.agents.sent<LeaveTrial>().size() == 2);
    for (const auto id : {TrialId{0}, TrialId{1}}) {
        CHECK(stage.history.sweep().trial(id).status == TrialStatus::waiting);
    }
    CHECK(stage.history.sweep().trials().size() == 2);  // no trial took the free slots
}

TEST_CASE("running trials are saved at the deadline") {
    Stage stage("run_cap: 4\n");

    const auto outcome = stage.run({{wall_clock()}});

    CHECK(outcome == Outcome::interrupted);
    for (const auto& [node, leave] : stage.agents.sent<LeaveTrial>()) {
        CHECK(leave.save);
    }
    CHECK(stage.agents.sent<LeaveTrial>().size() == 2);
}

TEST_CASE("a session ends only when its time is up or its user asks for it") {
    Stage stage("run_cap: 1\n");
    const auto end = [&](std::optional<double> deadline) {
        return SessionEnd(stage.directory, stage.signals,
                          deadline ? std::optional(SessionEnd::Deadline{*deadline}) : std::nullopt);
    };

    CHECK_FALSE(end({}).reason().has_value());
    CHECK_FALSE(end(wall_clock() + 1000).reason().has_value());
    CHECK(end(wall_clock()).reason() == time_is_up);
    CHECK(end(wall_clock() + 1000).comes_within(2000));
    CHECK_FALSE(end(wall_clock() + 1000).comes_within(100));
    CHECK_FALSE(end({}).comes_within(1e9));
    std::raise(SIGTERM);
    CHECK(end({}).reason() == "SIGTERM: saving the running trials");
    std::raise(SIGINT);
    CHECK(end({}).reason() == "Ctrl-C: saving the running trials (Ctrl-C again ends at once)");
}

TEST_CASE("a job uses the extra time that it gets while it runs, and asks Slurm only when that may matter") {
    Stage stage("run_cap: 1\n");
    int num_asked = 0;
    std::optional<double> answer;
    const auto begin = wall_clock();
    SessionEnd end(stage.directory, stage.signals, SessionEnd::Deadline{begin + 100, [&] {
                                                                            ++num_asked;
                                                                            return answer;
                                                                        }});

    CHECK_FALSE(end.comes_within(10));
    CHECK(num_asked == 0);
    CHECK(end.comes_within(200));  // no answer
    answer = begin + 120;          // as before, except for the clocks
    CHECK(end.comes_within(110));
    answer = begin + 1000;
    CHECK_FALSE(end.comes_within(200));
    CHECK(num_asked == 3);
    answer = begin - 10;  // the warning signal ends a job whose time was cut
    CHECK_FALSE(end.comes_within(200));
    CHECK(end.comes_within(2000));
    CHECK(num_asked == 4);
}

TEST_CASE("a session ends when a file requests it") {
    Stage stage("run_cap: 1\n");

    replace_file(stage.directory.stop_request(), "");

    CHECK(SessionEnd(stage.directory, stage.signals, {}).reason() == "stop requested: saving the running trials");
}
