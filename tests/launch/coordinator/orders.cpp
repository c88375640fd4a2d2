#include "launch/coordinator/orders.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "launch/json/event_json.hpp"
#include "tests/launch/coordinator/stage.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::Stage;

namespace {

using Actions = std::vector<Action>;

/// Starts as many trials as there are slots, and gives `orders` their actions.
void start(Stage& stage, Orders& orders) {
    Json record = to_json(Event(SlotsJoined{stage.agents.slots()}));
    record["time"] = 1.0;
    orders.carry_out(stage.history.apply(record));
}

}  // namespace

TEST_CASE("requests to the store are answered on the node that asked") {
    Stage stage("run_cap: 1\n");
    const Json request{{"id", 5}, {"trial", 0}, {"generation", 0}, {"op", "check"}, {"keys", {"x"}}};
    stage.agents.notices.push_back(StoreRequest{SlotId{1}, request});
    stage.agents.report(0, 4, 0.8);

    stage.run();

    const auto answers = stage.agents.sent<AnswerStore>();
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].first == NodeId{1});
    CHECK(answers[0].second.answer.at("found") == false);
}

TEST_CASE("a worker that leaves gets answers from the store until it has left; later requests open nothing") {
    Stage stage("run_cap: 1\n");
    Orders orders(stage.file, stage.directory, stage.history.sweep(), stage.agents);
    start(stage, orders);
    const auto members = orders.groups().members(TrialId{0});
    REQUIRE(!members.empty());
    const Json request{{"id", 5}, {"trial", 0}, {"generation", 0}, {"op", "check"}, {"keys", {"x"}}};
    const auto is_answered = [&] {
        stage.agents.orders.clear();
        orders.answer(StoreRequest{SlotId{0}, request});
        return !stage.agents.sent<AnswerStore>().empty();
    };

    CHECK(is_answered());
    orders.dismiss(TrialId{0}, /*save=*/false);
    CHECK(is_answered());
    for (const auto slot : members) {
        orders.groups().note_departure(TrialId{0}, slot);
    }
    orders.resume_held_back();

    CHECK_FALSE(is_answered());
}

TEST_CASE("a trial that runs out of memory is resumed with smaller micro-batches") {
    Stage stage("run_cap: 1\n");
    stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::out_of_memory, "64 GiB"});
    stage.agents.report(0, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    const auto joins = stage.agents.sent<JoinGroup>();
    CHECK(joins[0].second.join.batch.accumulation == 1);
    CHECK(joins[1].second.join.batch.accumulation == 2);
}

TEST_CASE("a trial whose workers have all died is resumed from its checkpoint") {
    Stage stage("run_cap: 1\n");
    stage.agents.report(0, 1, 0.5);
    for (const int slot : {0, 1}) {
        stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{slot}, FailureKind::crash, "signal 9"});
    }
    stage.agents.report(0, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    const auto joins = stage.agents.sent<JoinGroup>();
    CHECK(joins.back().second.join.state == protocol::StateSource::checkpoint);
    CHECK(joins.back().second.join.size == 2);
    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 1);  // in one turn of events
}

TEST_CASE("when a trial has used up its retries, its survivors leave before their slots get another trial") {
    Stage stage("run_cap: 2\nmax_retries: 0\n");
    stage.agents.report(0, 1, 0.5);
    stage.agents.report(1, 1, 0.4);  // stopped: trial 0 may have its slot
    stage.agents.report(0, 2, 0.5);
    stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::crash, "signal 9"});

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.sweep().trial(TrialId{0}).status == TrialStatus::failed);
    CHECK(stage.agents.sent<LeaveTrial>().back().first == NodeId{1});
    CHECK(stage.agents.sent<LeaveTrial>().back().second.trial == TrialId{0});
}

TEST_CASE("a trial that reaches its own target saves, whatever its resource is") {
    Stage stage("run_cap: 1\ntrial: {target: 0.9}\n", "{type: fifo, max: 4}");
    stage.agents.report(0, 3, 0.95);

    CHECK(stage.run() == Outcome::finished);

    const auto leaves = stage.agents.sent<LeaveTrial>();
    REQUIRE(leaves.size() == 1);
    CHECK(leaves[0].second.save);
    CHECK(stage.history.sweep().trial(TrialId{0}).reason == StopReason::reached);
}

TEST_CASE("a paused trial leaves without saving or ending, and is resumed from its checkpoint") {
    // Promoting with eta 2: after two results at a rung, the better one continues.
    Stage stage("run_cap: 2\n", "{type: asha, min: 1, max: 2, reduction_factor: 2, mode: promote, max_concurrent: 1}");
    const auto leave = stage.agents.on_order;
    stage.agents.on_order = [&](NodeId node, const Order& order) {
        leave(node, order);
        if (const auto* join = std::get_if<JoinGroup>(&order)) {
            const bool resumed = join->join.state == protocol::StateSource::checkpoint;
            stage.agents.report(join->join.trial.value, resumed ? 2 : 1, resumed ? 0.95 : 0.9 - join->join.trial.value);
        }
    };

    CHECK(stage.run() == Outcome::finished);

    const auto joins = stage.agents.sent<JoinGroup>();
    REQUIRE(joins.size() == 3);  // trial 0, trial 1, and trial 0 again
    CHECK(joins[2].second.join.trial == TrialId{0});
    CHECK(joins[2].second.join.state == protocol::StateSource::checkpoint);
    CHECK_FALSE(stage.agents.sent<LeaveTrial>().front().second.save);
    CHECK_FALSE(stage.agents.sent<LeaveTrial>().front().second.is_complete);
    CHECK(stage.history.sweep().trial(TrialId{0}).status == TrialStatus::finished);
    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 0);
    CHECK(stage.history.sweep().trial(TrialId{1}).status == TrialStatus::stopped);
}

TEST_CASE("a checkpoint that a stopped trial's trainer wrote just before it left is also dropped") {
    Stage stage("run_cap: 3\n", "{type: fifo, max: 1}");
    for (const int trial : {0, 1, 2}) {
        stage.agents.report(trial, 1, 0.9 - 0.1 * trial);
    }
    const auto checkpoint = [&](int trial) { return stage.directory.checkpoint(TrialId{trial}); };
    stage.agents.on_notices = [&](const std::vector<Notice>& notices) {
        for (const auto& notice : notices) {
            if (const auto* left = std::get_if<LeftTrial>(&notice)) {
                std::ofstream(stage.directory.checkpoint(left->trial)) << "of the last moment";
            }
        }
    };

    CHECK(stage.run() == Outcome::finished);

    CHECK(std::filesystem::exists(checkpoint(0)));
    CHECK_FALSE(std::filesystem::exists(checkpoint(1)));
    CHECK_FALSE(std::filesystem::exists(checkpoint(2)));
}

TEST_CASE("a trial that starts finds no files of an earlier one with its number, from before the journal was cut") {
    Stage stage("run_cap: 1\n");
    const auto folder = stage.directory.trial(TrialId{0});
    std::filesystem::create_directories(folder / "weights");
    for (const auto& file : {folder / "saved.json", folder / "weights/last", stage.directory.checkpoint(TrialId{0}),
                             stage.directory.latency(TrialId{0})}) {
        std::ofstream(file) << "of another trial";
    }
    stage.agents.on_notices = [&](const std::vector<Notice>&) {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            CHECK(entry.path() == stage.directory.parameters(TrialId{0}));
        }
    };
    stage.agents.report(0, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    CHECK_FALSE(std::filesystem::exists(folder / "saved.json"));
}

TEST_CASE("a resumed trial finds what it saved") {
    Stage stage("run_cap: 1\n");
    const auto saved = stage.directory.trial(TrialId{0}) / "saved.json";
    stage.agents.on_notices = [&](const std::vector<Notice>& notices) {
        if (std::holds_alternative<WorkerFailed>(notices.front())) {
            std::ofstream(saved) << "of this trial";
        }
    };
    stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::crash, "signal 9"});
    stage.agents.report(0, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    CHECK(std::filesystem::exists(saved));
}

TEST_CASE("the sweep does not wait for a program that ended with the report that pauses its trial") {
    Stage stage("run_cap: 1\n", "{type: asha, min: 1, max: 2, reduction_factor: 2, mode: promote}");
    stage.agents.on_order = nullptr;  // no agent answers
    stage.agents.notices.push_back(ProgramEnded{TrialId{0}});

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.agents.sent<LeaveTrial>().empty());
}

TEST_CASE("when no more trials may start, waiting ones and those to be resumed are left to the next session") {
    Stage stage("run_cap: 2\n");
    Orders orders(stage.file, stage.directory, stage.history.sweep(), stage.agents);

    orders.start_no_more();
    start(stage, orders);
    orders.carry_out(Actions{ResumeTrial{TrialId{0}, {{SlotId{0}}, 1, {}}}});

    CHECK(stage.history.sweep().trials().size() == 2);
    CHECK(stage.agents.orders.empty());
    CHECK(orders.groups().empty());
}

TEST_CASE("a node where members stay is not told that the trial leaves") {
    Stage stage("run_cap: 1\n");
    stage.agents.all_slots = {{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{0}}, {SlotId{2}, NodeId{1}}};
    Orders orders(stage.file, stage.directory, stage.history.sweep(), stage.agents);
    start(stage, orders);
    orders.carry_out(Actions{Regroup{TrialId{0}, {{SlotId{0}, SlotId{1}, SlotId{2}}, 1, {}}}});

    orders.carry_out(Actions{Regroup{TrialId{0}, {{SlotId{0}}, 2, {}}}});

    const auto leaves = stage.agents.sent<LeaveTrial>();
    REQUIRE(leaves.size() == 1);
    CHECK(leaves[0].first == NodeId{1});
}

TEST_CASE("a program whose group changes again while it leaves starts once, in the last group") {
    Stage stage("run_cap: 1\n");
    stage.file.trainer.reset();
    stage.file.command = {"train"};
    Orders orders(stage.file, stage.directory, stage.history.sweep(), stage.agents);
    start(stage, orders);

    orders.carry_out(Actions{Regroup{TrialId{0}, {{SlotId{0}, SlotId{1}}, 1, {}}}});
    orders.carry_out(Actions{Regroup{TrialId{0}, {{SlotId{1}}, 2, {}}}});
    orders.groups().note_departure(TrialId{0}, SlotId{0});
    orders.resume_held_back();

    const auto joins = stage.agents.sent<JoinGroup>();
    REQUIRE(joins.size() == 2);
    CHECK(joins[1].second.join.generation == 2);
    CHECK(joins[1].second.join.size == 1);
}

TEST_CASE("a program that has to regroup when no more trials may start saves and is not started again") {
    Stage stage("run_cap: 1\n");
    stage.file.trainer.reset();
    stage.file.command = {"train"};
    Orders orders(stage.file, stage.directory, stage.history.sweep(), stage.agents);
    start(stage, orders);

    orders.start_no_more();
    orders.carry_out(Actions{Regroup{TrialId{0}, {{SlotId{0}, SlotId{1}}, 1, {}}}});
    orders.groups().note_departure(TrialId{0}, SlotId{0});
    orders.resume_held_back();

    CHECK(stage.agents.sent<LeaveTrial>().back().second.save);
    CHECK(stage.agents.sent<JoinGroup>().size() == 1);
}

TEST_CASE("a trial that has ended meanwhile does not regroup") {
    Stage stage("run_cap: 1\n");
    Orders orders(stage.file, stage.directory, stage.history.sweep(), stage.agents);
    start(stage, orders);
    orders.dismiss(TrialId{0}, /*save=*/false);
    stage.agents.orders.clear();

    orders.carry_out(Actions{Regroup{TrialId{0}, {{SlotId{0}, SlotId{1}}, 1, {}}}});

    CHECK(stage.agents.orders.empty());
}

TEST_CASE("a trial saves if it may end between two milestones") {
    Stage stage("run_cap: 1\n");
    Orders orders(stage.file, stage.directory, stage.history.sweep(), stage.agents);
    const auto saves = [&](StopReason reason) {
        orders.carry_out(Actions{StartTrial{TrialId{0}, {{SlotId{0}}, 0, {}}}, StopTrial{TrialId{0}, reason}});
        return stage.agents.sent<LeaveTrial>().back().second.save;
    };
    start(stage, orders);

    for (const auto reason :
         {StopReason::reached, StopReason::requested, StopReason::timed_out, StopReason::no_progress}) {
        CAPTURE(stop_reasons.of(reason));
        CHECK(saves(reason));
    }
    CHECK_FALSE(saves(StopReason::judged));
    CHECK_FALSE(saves(StopReason::completed));
}

TEST_CASE("whether a trial is to save follows from its last order") {
    Stage stage("run_cap: 1\n");
    Orders orders(stage.file, stage.directory, stage.history.sweep(), stage.agents);
    start(stage, orders);

    orders.dismiss(TrialId{0}, /*save=*/true);
    CHECK(orders.is_to_save(TrialId{0}));
    orders.dismiss(TrialId{0}, /*save=*/false);
    CHECK_FALSE(orders.is_to_save(TrialId{0}));

    orders.dismiss(TrialId{0}, /*save=*/true);
    orders.carry_out(Actions{StartTrial{TrialId{0}, {{SlotId{0}}, 0, {}}}});
    CHECK_FALSE(orders.is_to_save(TrialId{0}));
}

TEST_CASE("the winner is measured on a slot in use; one that was left out serves if there is no other") {
    Stage stage("run_cap: 1\n");
    Orders orders(stage.file, stage.directory, stage.history.sweep(), stage.agents);
    start(stage, orders);
    Json left_out = to_json(Event(SlotsLost{{SlotId{0}}}));
    left_out["time"] = 2.0;
    stage.history.apply(left_out);

    CHECK(orders.test(TrialId{0}) == SlotId{1});
    orders.lose({SlotId{1}});
    CHECK(orders.test(TrialId{0}) == SlotId{0});
}
