#include "launch/coordinator/usable_slots.hpp"

#include <doctest/doctest.h>

#include "tests/launch/coordinator/stage.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::Stage;

TEST_CASE("the groups of a lost node's workers continue from memory, or on another node") {
    Stage stage("run_cap: 2\n", "{type: rasda, min: 1, max: 4, reduction_factor: 2}");
    stage.agents.report(0, 1, 0.5);
    stage.agents.notices.push_back(AgentLost{NodeId{1}, "no sign of life"});
    stage.agents.report(0, 4, 0.8);
    stage.agents.report(1, 4, 0.7);

    CHECK(stage.run() == Outcome::finished);

    const auto& sweep = stage.history.sweep();
    CHECK(sweep.num_slots() == 1);
    CHECK(sweep.trial(TrialId{1}).failures == 0);
    for (const auto& [node, leave] : stage.agents.sent<LeaveTrial>()) {
        CHECK(node == NodeId{0});
    }
    CHECK(stage.agents.sent<JoinGroup>().back().first == NodeId{0});
    CHECK(stage.agents.sent<JoinGroup>().back().second.join.trial == TrialId{1});
}

TEST_CASE("a slot where trial after trial fails is left out, and its next trial continues elsewhere") {
    Stage stage("run_cap: 5\nmax_retries: 0\n", "{type: fifo, max: 4}");
    stage.agents.report(0, 1, 0.5);
    for (const int trial : {1, 2, 3}) {  // node 1 has slot 1
        stage.agents.notices.push_back(WorkerFailed{TrialId{trial}, SlotId{1}, FailureKind::crash, "no GPU",
                                                    ProgramFault::none, "GPU 0 of node1"});
    }
    stage.agents.report(0, 4, 0.8);
    const auto leave = stage.agents.on_order;
    stage.agents.on_order = [&](NodeId node, const Order& order) {
        leave(node, order);
        if (const auto* join = std::get_if<JoinGroup>(&order);
            join && join->join.state == protocol::StateSource::checkpoint) {
            stage.agents.report(4, 4, 0.7);
        }
    };

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.left_out() == LeftOut{{SlotId{1}, "GPU 0 of node1"}});
    CHECK(stage.history.sweep().num_slots() == 1);
    const auto [node, join] = stage.agents.sent<JoinGroup>().back();
    CHECK(node == NodeId{0});
    CHECK(join.join.trial == TrialId{4});
    CHECK(stage.history.sweep().trial(TrialId{4}).failures == 0);
    const auto [from, left] = stage.agents.sent<LeaveTrial>().front();
    CHECK(from == NodeId{1});
    CHECK(left.trial == TrialId{4});
    CHECK(left.save);
    CHECK(History::read(stage.file.spec, stage.directory.journal()).left_out() == stage.history.left_out());
}

TEST_CASE("a slot where a trial made progress between failures is not left out") {
    Stage stage("run_cap: 5\nmax_retries: 0\n", "{type: fifo, max: 4}");
    stage.agents.report(0, 1, 0.5);
    const auto fail = [&](int trial) {
        stage.agents.notices.push_back(WorkerFailed{TrialId{trial}, SlotId{1}, FailureKind::crash, "no luck"});
    };
    fail(1);
    fail(2);
    stage.agents.report(3, 4, 0.6);
    fail(4);
    stage.agents.report(0, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.left_out().empty());
}

TEST_CASE("a session ends instead of waiting if its only remaining slots are left out") {
    Stage stage("run_cap: 5\nmax_retries: 0\n", "{type: fifo, max: 4}");
    stage.agents.report(0, 1, 0.5);
    for (const int trial : {1, 2, 3}) {
        stage.agents.notices.push_back(WorkerFailed{TrialId{trial}, SlotId{1}, FailureKind::crash, "no GPU"});
    }
    stage.agents.notices.push_back(AgentLost{NodeId{0}, "no sign of life"});

    CHECK_THROWS_WITH(stage.run(),
                      "no slot is left: 1 was left out, because trial after trial failed there, and all others are "
                      "lost; check the GPU or the node, and resume the sweep, which uses them again");

    CHECK(stage.history.sweep().state() == SweepState::running);
}

TEST_CASE("nobody waits for a slot that is left out, even if its idle trainers end") {
    Stage stage("run_cap: 5\nmax_retries: 0\n", "{type: fifo, max: 4}");
    stage.agents.report(0, 1, 0.5);
    for (const int trial : {1, 2, 3}) {
        stage.agents.notices.push_back(WorkerFailed{TrialId{trial}, SlotId{1}, FailureKind::crash, "no GPU"});
    }
    stage.agents.notices.push_back(SlotDown{SlotId{1}, 0, "no GPU"});
    stage.agents.notices.push_back(SlotUp{SlotId{1}});
    stage.agents.notices.push_back(AgentLost{NodeId{0}, "no sign of life"});

    CHECK_THROWS_WITH(stage.run(), doctest::Contains("no slot is left: 1 was left out"));

    for (const auto& line : stage.view.said) {
        CHECK(line.find("it is tried again") == std::string::npos);
    }
}

TEST_CASE("nobody waits for a slot whose node is lost, even if the slot might have come back") {
    Stage stage("run_cap: 5\nmax_retries: 0\n", "{type: fifo, max: 4}");
    stage.agents.report(1, 1, 0.5);
    for (const int trial : {0, 2, 3}) {
        stage.agents.notices.push_back(WorkerFailed{TrialId{trial}, SlotId{0}, FailureKind::crash, "no luck"});
    }
    stage.agents.notices.push_back(SlotDown{SlotId{1}, 0, "no GPU"});
    stage.agents.notices.push_back(AgentLost{NodeId{1}, "no sign of life"});

    CHECK_THROWS_WITH(stage.run(), doctest::Contains("no slot is left: 1 was left out"));
}

TEST_CASE("a slot is left out only if another one is in use") {
    Stage stage("run_cap: 5\nmax_retries: 0\n", "{type: fifo, max: 4}");
    stage.agents.report(1, 1, 0.5);
    stage.agents.notices.push_back(SlotDown{SlotId{0}, 0, "no GPU"});
    for (const int trial : {1, 0, 2, 3}) {
        stage.agents.notices.push_back(WorkerFailed{TrialId{trial}, SlotId{1}, FailureKind::crash, "no luck"});
    }
    stage.agents.report(4, 4, 0.7);

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.left_out().empty());
}

TEST_CASE("a slot that came back is left out like any other") {
    Stage stage("run_cap: 4\nmax_retries: 0\n", "{type: fifo, max: 4}");
    stage.agents.report(0, 1, 0.5);
    stage.agents.notices.push_back(SlotDown{SlotId{1}, 0, "no GPU"});
    stage.agents.notices.push_back(SlotUp{SlotId{1}});
    for (const int trial : {1, 2, 3}) {
        stage.agents.notices.push_back(WorkerFailed{TrialId{trial}, SlotId{1}, FailureKind::crash, "no luck"});
    }
    stage.agents.report(0, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.left_out().contains(SlotId{1}));
}

TEST_CASE("a slot where no trainer starts is lost until one starts, and its trial continues elsewhere") {
    Stage stage("run_cap: 3\n", "{type: fifo, max: 4}");
    stage.agents.notices.push_back(SlotDown{SlotId{1}, 0, "no GPU"});
    stage.agents.notices.push_back(SlotDown{SlotId{1}, 1, "no GPU"});
    stage.agents.report(0, 4, 0.5);  // trial 1 gets its slot
    stage.agents.notices.push_back(SlotUp{SlotId{1}});
    stage.agents.report(1, 4, 0.6);
    stage.agents.report(2, 4, 0.7);

    CHECK(stage.run() == Outcome::finished);

    const auto joins = stage.agents.sent<JoinGroup>();
    REQUIRE(joins.size() == 4);
    CHECK(joins[2].first == NodeId{0});
    CHECK(joins[2].second.join.trial == TrialId{1});
    CHECK(joins[3].first == NodeId{1});
    CHECK(joins[3].second.join.trial == TrialId{2});
    CHECK(stage.history.sweep().trial(TrialId{1}).failures == 0);
    CHECK(stage.history.sweep().num_slots() == 2);
    REQUIRE(stage.view.said.size() == 2);  // each message once
    CHECK(stage.view.said[0] == "slot 1 of node 1 is out of use: no GPU; it is tried again, less and less often");
    CHECK(stage.view.said[1] == "slot 1 is in use again");
}

TEST_CASE("a slot whose trainers end while they wait is lost each time, and its trial continues elsewhere") {
    Stage stage("run_cap: 3\n", "{type: fifo, max: 4}");
    stage.agents.notices.push_back(SlotDown{SlotId{1}, 0, "no GPU"});
    stage.agents.notices.push_back(SlotUp{SlotId{1}});
    stage.agents.notices.push_back(SlotDown{SlotId{1}, 1, "no GPU"});
    for (const int trial : {0, 1, 2}) {
        stage.agents.report(trial, 4, 0.5);
    }

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.sweep().num_slots() == 1);
    const auto [node, join] = stage.agents.sent<JoinGroup>().back();
    CHECK(node == NodeId{0});
    CHECK(join.join.trial == TrialId{2});
    CHECK(stage.history.sweep().trial(TrialId{1}).failures == 0);
}

TEST_CASE("a session gives up if no trainer starts on any slot, after each slot has been tried twice more") {
    Stage stage("run_cap: 3\n", "{type: fifo, max: 4}");
    for (const int num_retries : {0, 1, 2}) {
        stage.agents.notices.push_back(SlotDown{SlotId{0}, num_retries, "no GPU"});
        stage.agents.notices.push_back(SlotDown{SlotId{1}, num_retries, "no GPU"});
    }

    CHECK_THROWS_WITH(stage.run(),
                      "no trainer can start on any slot, and nothing runs: no GPU; resume the sweep once that is "
                      "fixed");

    CHECK(stage.agents.notices.empty());
    CHECK(stage.history.sweep().state() == SweepState::running);
}

TEST_CASE("one slot that works is enough, however often the other slots fail") {
    Stage stage("run_cap: 1\n", "{type: fifo, max: 4}");
    for (int num_retries = 0; num_retries < 9; ++num_retries) {
        stage.agents.notices.push_back(SlotDown{SlotId{1}, num_retries, "no GPU"});
    }
    stage.agents.report(0, 4, 0.5);

    CHECK(stage.run() == Outcome::finished);
}
