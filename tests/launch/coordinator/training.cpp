#include "launch/coordinator/training.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "launch/journal/directory_error.hpp"
#include "launch/json/event_json.hpp"
#include "launch/steering/request_folder.hpp"
#include "launch/system/wall_clock.hpp"
#include "tests/launch/coordinator/stage.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::report_of;
using crescendo::tests::Stage;

TEST_CASE("a report that is already known is answered but not journalled again") {
    Stage stage("run_cap: 1\n");
    stage.agents.report(0, 1, 0.5);
    stage.agents.report(0, 1, 0.9);
    stage.agents.report(0, 4, 0.8);

    stage.run();

    CHECK(stage.history.of(TrialId{0}).reports.size() == 2);
    CHECK(stage.agents.sent<protocol::Decision>().size() == 2);
    CHECK(stage.history.of(TrialId{0}).reports.front().metrics.at("accuracy") == 0.5);
}

TEST_CASE("reports that arrive all at once and out of order do not end the sweep") {
    Stage stage("run_cap: 1\n");
    stage.agents.all_at_once = true;
    for (const int resource : {3, 2, 3, 4}) {
        stage.agents.report(0, resource, 0.5);
    }

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.of(TrialId{0}).reports.size() == 2);
}

TEST_CASE("times too large to be rounded are left out of a report, so the journal can be read") {
    Stage stage("run_cap: 1\n");
    auto report = report_of(0, 1, 0.5);
    report.seconds = 1e306;
    report.evaluated = 1e306;
    stage.agents.notices.emplace_back(report);
    stage.agents.report(0, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    CHECK_NOTHROW(History::read(stage.file.spec, stage.directory.journal()));
    REQUIRE(stage.history.of(TrialId{0}).reports.size() == 2);
    const auto& first = stage.history.of(TrialId{0}).reports.front();
    CHECK(first.seconds < 1000);  // as for a trainer without a clock
    CHECK_FALSE(first.evaluated.has_value());
}

TEST_CASE("measures too small or too large to be rounded to four digits count as missing") {
    Stage stage("run_cap: 1\n");
    auto report = report_of(0, 1, 0.5);
    report.step_seconds = 1.7976e308;  // would be rounded up beyond the largest double
    report.group_batch = 64;
    report.noise_scale = 1e-310;
    stage.agents.notices.emplace_back(report);
    stage.agents.notices.emplace_back(
        protocol::Regrouped{TrialId{0}, 1, 1e-310, 1e-310, {{"group", 1e-310}, {"step", 0.25}}});
    stage.agents.report(0, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    const auto& first = stage.history.of(TrialId{0}).reports.front();
    CHECK_FALSE(first.step_seconds.has_value());
    CHECK_FALSE(first.noise_scale.has_value());
    CHECK(stage.history.regroup_seconds() == std::vector{0.0});
    CHECK(stage.history.regroup_phases() == std::map<std::string, std::vector<double>>{{"step", {0.25}}});
}

TEST_CASE("the journal has no separate end of a program that ends in the turn of its last report") {
    Stage stage("run_cap: 1\n", "{type: fifo, max: 1}");
    stage.agents.all_at_once = true;
    stage.agents.report(0, 1, 0.5);
    stage.agents.notices.emplace_back(ProgramEnded{TrialId{0}});

    CHECK(stage.run() == Outcome::finished);

    for (const auto& record : stage.journalled()) {
        CHECK(record.value("event", "") != "trial_finished");
    }
}

TEST_CASE("a worker that fails in the turn of a report that grows its group is left out at once") {
    Stage stage("run_cap: 1\n");
    stage.agents.all_at_once = true;
    stage.agents.report(0, 1, 0.5);
    stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::crash, "signal 9"});
    const auto leave = stage.agents.on_order;
    stage.agents.on_order = [&](NodeId node, const Order& order) {
        leave(node, order);
        if (const auto* join = std::get_if<JoinGroup>(&order); join && join->join.generation == 2) {
            CHECK(node == NodeId{1});
            CHECK(join->join.size == 1);
            stage.agents.report(0, 4, 0.8);
        }
    };

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.of(TrialId{0}).reports.size() == 2);
}

TEST_CASE("a report in the turn in which its trial has failed for good changes nothing") {
    Stage stage("run_cap: 2\nmax_retries: 0\n", "{type: fifo, max: 4}");
    stage.agents.all_at_once = true;
    stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::crash, "signal 9"});
    stage.agents.report(0, 1, 0.5);
    stage.agents.report(1, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.of(TrialId{0}).reports.empty());
    CHECK(stage.history.sweep().trial(TrialId{0}).status == TrialStatus::failed);
}

TEST_CASE("the survivors of a dead worker continue from memory, and the group grows back at the next report") {
    Stage stage("run_cap: 1\n");
    stage.agents.report(0, 1, 0.5);
    stage.agents.notices.push_back(WorkerStranded{TrialId{0}, SlotId{1}, 1});
    stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::crash, "signal 9"});
    stage.agents.notices.push_back(
        WorkerFailed{TrialId{0}, SlotId{7}, FailureKind::error, "an echo from a slot it has not"});
    stage.agents.report(0, 2, 0.6);
    stage.agents.report(0, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 1);
    CHECK(stage.history.of(TrialId{0}).last_failure == "signal 9");
    CHECK(stage.view.said.front() == "trial 0 crashed: signal 9");
    const auto joins = stage.agents.sent<JoinGroup>();
    REQUIRE(joins.size() == 6);  // one worker; two, on two nodes; the survivor; two again
    const auto& [node, alone] = joins[3];
    CHECK(node == NodeId{1});
    CHECK(alone.join.state == protocol::StateSource::memory);
    CHECK(alone.join.generation == 2);
    CHECK(alone.join.size == 1);
    CHECK(alone.members[0].rank == 0);
    CHECK(alone.join.batch.multiple == 2);
    CHECK(alone.join.reported == Resource{1});
    CHECK(joins[4].second.join.generation == 3);
    CHECK(joins[4].second.join.reported == Resource{2});
}

TEST_CASE("a trial that waits for another one's attempt to grow can grow between its own reports") {
    Stage stage("run_cap: 2\n", "{type: rasda, min: 1, max: 16, reduction_factor: 2}");
    stage.agents.all_slots.insert(stage.agents.all_slots.end(), {{SlotId{2}, NodeId{0}}, {SlotId{3}, NodeId{1}}});
    const auto report = [&](int trial, int resource, double accuracy) {
        auto notice = report_of(trial, resource, accuracy);
        notice.seconds = resource;
        notice.step_seconds = 0.1;
        notice.group_batch = 64;
        stage.agents.notices.push_back(notice);
    };
    report(0, 1, 0.5);
    report(1, 1, 0.6);
    stage.agents.notices.push_back(protocol::Regrouped{TrialId{0}, 1, 0.2, 0.05});
    report(0, 16, 0.5);
    report(1, 16, 0.6);

    CHECK(stage.run() == Outcome::finished);

    const auto joins = stage.agents.sent<JoinGroup>();
    const auto grown = std::ranges::find_if(
        joins, [](const auto& sent) { return sent.second.join.trial == TrialId{1} && sent.second.join.size == 2; });
    REQUIRE(grown != joins.end());
    CHECK(grown->second.join.state == protocol::StateSource::memory);
    CHECK(grown->second.join.generation == 1);
    CHECK(grown->second.join.reported == Resource{1});
    CHECK(grown->second.join.batch.multiple == 1);
}

TEST_CASE("steps from before a trial grew between two reports do not count for the larger group") {
    const auto recorded = [](int generation) {
        Stage stage("run_cap: 1\n", "{type: rasda, min: 2, max: 16, reduction_factor: 2}");
        stage.agents.notices.push_back(protocol::Timed{TrialId{0}, 0, 0.05, 64});  // so it grows: generation 1
        auto report = report_of(0, 1, 0.5);
        report.generation = generation;
        report.step_seconds = 0.05;
        stage.agents.notices.push_back(report);
        stage.agents.report(0, 16, 0.5);
        CHECK(stage.run() == Outcome::finished);
        return stage.history.of(TrialId{0}).reports.front().step_seconds;
    };

    CHECK(recorded(0) == std::nullopt);  // the report was on its way when the trial got the order to grow
    CHECK(recorded(1) == 0.05);
    CHECK(recorded(-1) == 0.05);  // a program does not report its generation
}

TEST_CASE("a report in the turn in which its trial grows says nothing about the larger group's steps") {
    Stage stage("run_cap: 1\n", "{type: rasda, min: 2, max: 16, reduction_factor: 2}");
    stage.agents.all_at_once = true;
    stage.agents.notices.push_back(protocol::Timed{TrialId{0}, 0, 0.05, 64});
    for (const int resource : {1, 16}) {
        auto report = report_of(0, resource, 0.5);
        report.generation = 0;
        report.step_seconds = 0.05;
        stage.agents.notices.push_back(report);
    }

    CHECK(stage.run() == Outcome::finished);

    const auto& trial = stage.history.of(TrialId{0});
    CHECK(trial.most_workers == 2);
    CHECK(trial.reports.back().step_seconds == std::nullopt);
    CHECK(History::read(stage.file.spec, stage.directory.journal()).of(TrialId{0}).reports.back().step_seconds ==
          std::nullopt);  // nor does a resumed sweep read any from it
}

TEST_CASE("the time of a trial's first steps is recorded before its first report, and it grows if slots idle") {
    const auto sizes_with = [](const std::string& scheduler) {
        Stage stage("run_cap: 1\n", "{type: rasda, min: 1, max: 16, reduction_factor: 2" + scheduler + "}");
        stage.agents.notices.push_back(protocol::Timed{TrialId{0}, 0, 1e-310, 64});  // too short for a time
        stage.agents.notices.push_back(protocol::Timed{TrialId{0}, 0, 0.05, 64});
        stage.agents.report(0, 16, 0.5);
        CHECK(stage.run() == Outcome::finished);
        std::vector<int> sizes;
        for (const auto& [_, order] : stage.agents.sent<JoinGroup>()) {
            sizes.push_back(order.join.size);
        }
        CHECK(stage.history.regroup_seconds().empty());
        return sizes;
    };

    CHECK(sizes_with("") == std::vector{1, 2, 2});
    CHECK(sizes_with(", surplus: off") == std::vector{1});
    CHECK(sizes_with(", grow_when: always") == std::vector{1});
}

TEST_CASE("the batch of a trial's first steps is recorded exactly, unless it is not a valid number") {
    const auto recorded = [](double group_batch) {
        Stage stage("run_cap: 1\n", "{type: rasda, min: 1, max: 16, reduction_factor: 2}");
        stage.agents.notices.push_back(protocol::Timed{TrialId{0}, 0, 0.05, group_batch});
        stage.agents.report(0, 16, 0.5);
        CHECK(stage.run() == Outcome::finished);
        const auto& timed = stage.history.of(TrialId{0}).groups.front().timed;
        return timed ? timed->steps.batch : std::nullopt;
    };

    CHECK(recorded(16384) == 16384.0);  // as exact as in a report, since both give times of one batch
    for (const double batch :
         {0.0, -64.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        CHECK(recorded(batch) == std::nullopt);
    }
}

TEST_CASE("the number of samples in a unit of the resource is recorded if it is valid") {
    const auto recorded = [](std::optional<double> samples) {
        Stage stage("run_cap: 1\n", "{type: rasda, min: 1, max: 16, reduction_factor: 2}");
        stage.agents.notices.push_back(protocol::Timed{TrialId{0}, 0, 0.05, 64, samples});
        stage.agents.report(0, 16, 0.5);
        CHECK(stage.run() == Outcome::finished);
        return stage.history.of(TrialId{0}).groups.front().timed.value().samples_per_resource;
    };

    CHECK(recorded(60'000) == 60'000.0);
    for (const auto none : {std::optional<double>(), std::optional(0.0), std::optional(-1.0),
                            std::optional(std::numeric_limits<double>::infinity())}) {
        CHECK(recorded(none) == std::nullopt);
    }
}

TEST_CASE("the time of first steps counts for the present group, before the first report, if groups grow early") {
    const auto num_recorded = [](const std::vector<Notice>& notices, const std::string& scheduler) {
        Stage stage("run_cap: 1\n", scheduler);
        stage.agents.notices.assign(notices.begin(), notices.end());
        stage.agents.report(0, 16, 0.5);
        CHECK(stage.run() == Outcome::finished);
        return std::ranges::count_if(stage.journalled(),
                                     [](const Json& each) { return each.value("event", "") == "trial_timed"; });
    };
    const std::string early = "{type: rasda, min: 2, max: 16, reduction_factor: 2}";
    const protocol::Timed timed{TrialId{0}, 0, 0.05, 64};
    const protocol::Timed of_another_group{TrialId{0}, 1, 0.05, 64};

    CHECK(num_recorded({timed}, early) == 1);
    CHECK(num_recorded({of_another_group}, early) == 0);
    CHECK(num_recorded({report_of(0, 1, 0.5), timed}, early) == 0);
    CHECK(num_recorded({timed}, "{type: fifo, max: 16}") == 0);
}

TEST_CASE("only a regroup that was ordered is recorded, and its time is not negative") {
    Stage stage("run_cap: 1\n");
    stage.agents.notices.push_back(protocol::Regrouped{TrialId{0}, 0, 0.1});
    stage.agents.report(0, 1, 0.5);
    stage.agents.notices.push_back(protocol::Regrouped{TrialId{0}, 1, -0.5});  // a clock was set back
    stage.agents.report(0, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.regroup_seconds() == std::vector{0.0});
}

TEST_CASE("a checkpoint that cannot be written does not count as a failure of its trial") {
    Stage stage("run_cap: 1\n");
    stage.agents.notices.push_back(
        CheckpointFailed{TrialId{0}, SlotId{0}, "cannot write checkpoint.pt: No space left on device"});

    CHECK_THROWS_AS(stage.run(), DirectoryError);

    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 0);
}

TEST_CASE("a worker that fails while the sweep's directory cannot be written does not make its trial fail") {
    Stage stage("run_cap: 1\n");
    stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::error, "no space"});
    std::filesystem::create_directories(stage.directory.path() / "probe");  // not even root can write this file

    CHECK_THROWS_AS(stage.run(), DirectoryError);

    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 0);
}

TEST_CASE("workers that have all lost each other meet again three times, then restart from the checkpoint") {
    Stage stage("run_cap: 1\n");
    stage.agents.report(0, 1, 0.5);
    for (int i = 0; i < 4; ++i) {
        stage.agents.notices.push_back(WorkerStranded{TrialId{0}, SlotId{0}, 0});  // of the former generation
        for (const int slot : {0, 1}) {
            stage.agents.notices.push_back(WorkerStranded{TrialId{0}, SlotId{slot}, 1});
        }
    }
    stage.agents.notices.push_back(LeftTrial{TrialId{0}, SlotId{0}});
    stage.agents.notices.push_back(LeftTrial{TrialId{0}, SlotId{1}});
    stage.agents.report(0, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    const auto joins = stage.agents.sent<JoinGroup>();
    REQUIRE(joins.size() == 11);  // one worker; two; three times again on both nodes; both from the checkpoint
    for (std::size_t i = 3; i < 9; ++i) {
        CHECK(joins[i].second.join.state == protocol::StateSource::memory);
        CHECK(joins[i].second.join.generation == 1);
    }
    CHECK(joins[9].second.join.state == protocol::StateSource::checkpoint);
    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 1);
    CHECK(std::ranges::any_of(stage.view.said, [](const auto& each) { return each.find("--interface") != each.npos; }));
}

TEST_CASE("workers that lose each other now and then between reports meet again each time") {
    Stage stage("run_cap: 1\n", "{type: fifo, max: 4, workers: 2}");
    for (const int resource : {1, 2, 3, 4}) {
        for (int i = 0; i < 3; ++i) {
            for (const int slot : {0, 1}) {
                stage.agents.notices.push_back(WorkerStranded{TrialId{0}, SlotId{slot}, 0});
            }
        }
        stage.agents.report(0, resource, 0.5);
    }

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 0);
}

namespace {

/// A sweep of a program with one trial. Its group reports the last epoch when it starts for the `last_start`-th time.
struct ProgramStage : Stage {
    ProgramStage(GrowMode grow, int last_start, const std::string& scheduler) : Stage("run_cap: 1\n", scheduler) {
        file.trainer.reset();
        file.command = {"train"};
        file.grow = grow;
        agents.on_order = [this, last_start, leave = agents.on_order](NodeId node, const Order& order) {
            leave(node, order);
            if (const auto* join = std::get_if<JoinGroup>(&order); join && join->members.front().rank == 0) {
                ++num_starts;
                if (num_starts == last_start) {
                    agents.report(0, 4, 0.8);
                }
            }
        };
    }

    int num_starts = 0;
};

constexpr const char* rasda = "{type: rasda, min: 1, max: 4, reduction_factor: 2}";

}  // namespace

TEST_CASE("a program that has to grow saves, leaves, and is then restarted on both nodes") {
    ProgramStage stage(GrowMode::restart, /*last_start=*/2, rasda);
    stage.agents.report(0, 1, 0.5);

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.agents.sent<LeaveTrial>().front().second.save);
    const auto joins = stage.agents.sent<JoinGroup>();
    REQUIRE(joins.size() == 3);
    for (std::size_t i : {1, 2}) {
        const auto& [node, order] = joins[i];
        CHECK(node == NodeId{static_cast<int>(i) - 1});
        CHECK(order.join.state == protocol::StateSource::checkpoint);
        CHECK(order.join.size == 2);
        CHECK(order.members.size() == 1);
        CHECK(order.slots == std::vector{SlotId{0}, SlotId{1}});
    }
    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 0);
}

TEST_CASE("a program that is lost while it leaves to grow is restarted as well") {
    for (const Notice& end : {Notice(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::crash, "signal 9"}),
                              Notice(AgentLost{NodeId{0}, "no sign of life"})}) {
        CAPTURE(end.index());
        ProgramStage stage(GrowMode::restart, /*last_start=*/2, rasda);
        stage.agents.report(0, 1, 0.5);
        stage.agents.on_order = [&, before = stage.agents.on_order](NodeId node, const Order& order) {
            if (stage.num_starts == 1 && std::holds_alternative<LeaveTrial>(order)) {
                stage.agents.notices.push_back(end);
            } else {
                before(node, order);
            }
        };

        CHECK(stage.run() == Outcome::finished);

        CHECK(stage.num_starts == 2);
        CHECK(stage.history.sweep().trial(TrialId{0}).failures == 0);
    }
}

TEST_CASE("a restarted program is recorded as regrouped once, at its first report") {
    for (const int first : {1, 2}) {  // 1 is what its checkpoint holds, and 2 is new
        CAPTURE(first);
        ProgramStage stage(GrowMode::restart, /*last_start=*/-1, rasda);
        stage.agents.report(0, 1, 0.5);
        stage.agents.on_order = [&, leave = stage.agents.on_order](NodeId node, const Order& order) {
            leave(node, order);
            if (const auto* join = std::get_if<JoinGroup>(&order); join && stage.num_starts == 2 && node == NodeId{0}) {
                for (const int resource : {first, 3, 4}) {
                    stage.agents.report(0, resource, 0.8);
                }
            }
        };

        CHECK(stage.run() == Outcome::finished);

        std::vector<Json> notes;
        for (const auto& record : stage.journalled()) {
            if (record.value("note", "") == "regrouped") {
                notes.push_back(record);
            }
        }
        REQUIRE(notes.size() == 1);
        CHECK(notes[0].at("trial") == 0);
        CHECK(notes[0].at("generation") == stage.history.sweep().trial(TrialId{0}).group.generation);
        CHECK(notes[0].at("seconds").get<double>() >= 0);
        CHECK(stage.history.regroup_seconds().size() == 1);
    }
}

TEST_CASE("if a member of a program dies, the others end too and are restarted with one worker fewer") {
    ProgramStage stage(GrowMode::restart, /*last_start=*/3, rasda);
    stage.agents.report(0, 1, 0.5);
    const auto on_order = stage.agents.on_order;
    stage.agents.on_order = [&](NodeId node, const Order& order) {
        on_order(node, order);
        if (const auto* join = std::get_if<JoinGroup>(&order); join && node == NodeId{1} && stage.num_starts == 2) {
            for (const int slot : {1, 0}) {  // the second as a consequence of the first
                stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{slot}, FailureKind::crash, "signal 9"});
            }
        }
    };

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.agents.sent<JoinGroup>().back().second.join.size == 1);
    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 1);
}

TEST_CASE("a program with a fixed number of workers is restarted with all of them when one fails") {
    ProgramStage stage(GrowMode::none, /*last_start=*/2, "{type: fifo, max: 4, workers: 2}");
    for (const int slot : {1, 0}) {
        stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{slot}, FailureKind::crash, "signal 9"});
    }

    CHECK(stage.run() == Outcome::finished);

    const auto joins = stage.agents.sent<JoinGroup>();
    REQUIRE(joins.size() == 4);
    CHECK(joins.back().second.join.size == 2);
    CHECK(joins.back().second.join.state == protocol::StateSource::checkpoint);
    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 1);
}

TEST_CASE("when rank 0 of a program ends without an error, the trial is over and the other ranks leave") {
    ProgramStage stage(GrowMode::none, /*last_start=*/-1, "{type: fifo, max: 4, workers: 2}");
    stage.agents.report(0, 1, 0.5);
    stage.agents.notices.push_back(ProgramEnded{TrialId{0}});

    CHECK(stage.run() == Outcome::finished);

    const auto leaves = stage.agents.sent<LeaveTrial>();
    REQUIRE(leaves.size() == 1);
    CHECK(leaves.front().first == NodeId{1});
    CHECK(stage.history.sweep().trial(TrialId{0}).status == TrialStatus::finished);
}

TEST_CASE("programs that end by themselves and overwrite each other's model cause a message") {
    Stage stage("run_cap: 2\n", "{type: fifo, max: 4, max_concurrent: 1}");
    stage.file.trainer.reset();
    stage.file.command = {"train"};
    for (const int trial : {0, 1}) {
        stage.agents.report(trial, 1, 0.5);
        stage.agents.notices.push_back(ProgramEnded{TrialId{trial}});
    }
    stage.agents.on_notices = [&, version = 0](const std::vector<Notice>& notices) mutable {
        if (std::holds_alternative<ProgramEnded>(notices.front())) {
            const auto model = stage.folder / "model.pt";
            std::ofstream(model) << "weights";
            std::filesystem::last_write_time(model, std::filesystem::file_time_type{} + std::chrono::hours(++version));
        }
    };

    CHECK(stage.run() == Outcome::finished);

    CHECK(std::ranges::any_of(
        stage.view.said, [](const auto& each) { return each.starts_with("trials overwrite each other's model.pt"); }));
}

TEST_CASE("a program that ends when its group has to grow is not restarted") {
    ProgramStage stage(GrowMode::restart, /*last_start=*/2, rasda);
    stage.agents.report(0, 1, 0.5);
    stage.agents.notices.push_back(ProgramEnded{TrialId{0}});
    stage.agents.all_at_once = true;

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.agents.sent<JoinGroup>().size() == 1);
    CHECK(stage.history.sweep().trial(TrialId{0}).status == TrialStatus::finished);
}

TEST_CASE("a program that ends with the report that pauses its trial has not finished the trial") {
    Stage stage("run_cap: 2\n", "{type: asha, mode: promote, min: 1, max: 4, reduction_factor: 2}");
    stage.agents.all_slots = {{SlotId{0}, NodeId{0}}};
    stage.agents.report(0, 1, 0.5);
    stage.agents.notices.emplace_back(ProgramEnded{TrialId{0}});
    stage.agents.all_at_once = true;
    int num_starts = 0;
    stage.agents.on_order = [&](NodeId, const Order& order) {
        if (const auto* leave = std::get_if<LeaveTrial>(&order)) {
            stage.agents.notices.emplace_back(LeftTrial{leave->trial, SlotId{0}});
        }
        if (std::holds_alternative<JoinGroup>(order)) {
            ++num_starts;
            if (num_starts == 2) {
                stage.agents.report(1, 1, 0.25);
            } else if (num_starts == 3) {  // the better of two continues
                stage.agents.report(0, 4, 0.5);
            }
        }
    };

    CHECK(stage.run() == Outcome::finished);

    for (const auto& record : stage.journalled()) {
        CHECK(record.value("event", "") != "trial_finished");
    }
}

TEST_CASE("trial_time counts the time that earlier sessions used") {
    for (const auto* most : {"30m", "2h"}) {
        CAPTURE(most);
        Stage stage("run_cap: 1\ntrial_time: " + std::string(most) + "\n", "{type: fifo, max: 4}");
        const double begin = wall_clock() - 100'000;
        const auto tell = [&](double seconds, const Event& event, const Json& metrics) {
            auto record = to_json(event);
            record["time"] = begin + seconds;
            record["metrics"] = metrics;
            stage.history.apply(record);
        };
        stage.history.apply(session_note(begin, "host", 2));
        tell(0, SlotsJoined{stage.agents.slots()}, nullptr);
        tell(1801, TrialReported{TrialId{0}, Resource{1}, -0.5}, {{"accuracy", 0.5}});  // 30 minutes and a second
        stage.agents.num_waits = 1;
        stage.agents.on_order = [&, leave = stage.agents.on_order](NodeId node, const Order& order) {
            leave(node, order);
            if (std::holds_alternative<JoinGroup>(order) && std::string(most) == "2h") {
                stage.agents.report(0, 4, 0.8);
            }
        };

        CHECK(stage.run() == Outcome::finished);

        const auto reason = stage.history.sweep().trial(TrialId{0}).reason;
        CHECK(reason == (std::string(most) == "2h" ? StopReason::completed : StopReason::timed_out));
    }
}

TEST_CASE("the view follows a time budget that is set while the sweep runs") {
    Stage stage("run_cap: 1\n");
    std::ofstream(stage.directory.path() / "run.json") << R"({"sweep":"s"})";
    const SentRequest sent(stage.directory.requests(), SetRequest{{{"budget.time", "\"1h\""}}});
    stage.agents.report(0, 1, 0.5);
    stage.agents.report(0, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    const auto answer = sent.take_answer();
    REQUIRE(answer);
    CHECK_MESSAGE(answer->is_accepted, answer->text);
    CHECK(stage.view.time_budget == 3600.0);
}

TEST_CASE("while others train, a message names a trial that had to be saved but may not have been") {
    const auto said_of_one_that = [](const std::string& more, double accuracy) {
        Stage stage("run_cap: 2\n" + more);
        stage.agents.report(1, 1, 0.6);
        stage.agents.report(0, 1, accuracy);
        stage.agents.on_order = [&](NodeId, const Order& order) {
            const auto* leave = std::get_if<LeaveTrial>(&order);
            if (leave != nullptr && leave->trial == TrialId{0}) {
                stage.agents.notices.push_back(LeftTrial{TrialId{0}, SlotId{0}, "it did not leave within 60 s"});
                stage.agents.report(1, 4, 0.6);
            } else if (leave != nullptr) {
                for (const auto& slot : stage.agents.slots()) {
                    stage.agents.notices.push_back(LeftTrial{leave->trial, slot.id});
                }
            }
        };
        CHECK(stage.run() == Outcome::finished);
        return std::ranges::count(stage.view.said,
                                  "trial 0: it did not leave within 60 s; what it saved before is kept");
    };

    CHECK(said_of_one_that("trial: {target: 0.9}\n", 0.95) == 1);  // it saves as it ends
    CHECK(said_of_one_that("", 0.5) == 0);  // stopped at a rung, and its checkpoint is dropped
}
