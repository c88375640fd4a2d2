/// The coordinator against agents that are played by the test: two nodes, so that routing shows.

#include "launch/coordinator/coordinator.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <thread>

#include "launch/messages/event_json.hpp"
#include "launch/system/wall_clock.hpp"
#include "launch/view/results.hpp"
#include "scheduler/samplers/random_sampler.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

namespace {

/// Answers orders as a script says; an order that nobody expects is kept for the test to look at.
class PlayedAgents final : public Transport {
  public:
    std::vector<Slot> slots() const override { return {{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{1}}}; }

    void send(NodeId to, const Order& order) override {
        orders.emplace_back(to, order);
        if (on_order) {
            on_order(to, order);
        }
    }

    std::vector<Notice> receive(std::chrono::milliseconds) override {
        REQUIRE_MESSAGE((!notices.empty() || num_waits-- > 0),
                        "the coordinator waits for something that nobody will send");
        if (notices.empty()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return {};
        }
        const auto end = all_at_once ? notices.end() : std::next(notices.begin());
        const std::vector<Notice> batch(notices.begin(), end);
        notices.erase(notices.begin(), end);
        if (on_notices) {
            on_notices(batch);
        }
        return batch;
    }

    void report(int trial, int resource, double accuracy) {
        notices.push_back(TrialMetrics{TrialId{trial}, Resource{resource}, {{"accuracy", accuracy}}});
    }

    template <class Kind>
    std::vector<std::pair<NodeId, Kind>> sent() const {
        std::vector<std::pair<NodeId, Kind>> result;
        for (const auto& [node, order] : orders) {
            if (const auto* found = std::get_if<Kind>(&order)) {
                result.emplace_back(node, *found);
            }
        }
        return result;
    }

    std::function<void(NodeId, const Order&)> on_order;
    std::function<void(const std::vector<Notice>&)> on_notices;  ///< before the coordinator gets them
    std::vector<std::pair<NodeId, Order>> orders;
    std::deque<Notice> notices;
    bool all_at_once = false;
    int num_waits = 0;  ///< of a millisecond at least, for which nothing may come
};

class SilentView final : public LiveView {
  public:
    void update(const History&, double) override {}
    void say(const std::string& line) override { said.push_back(line); }
    std::chrono::milliseconds period() const override { return std::chrono::milliseconds(1); }

    std::vector<std::string> said;
};

/// A sweep of up to four epochs in a folder of its own; trials leave when they are told to.
struct Stage {
    explicit Stage(const std::string& more,
                   const std::string& scheduler = "{type: rasda, min: 1, max: 4, reduction_factor: 2}")
        : file(parse_sweep("name: s\nmetric: {name: accuracy, goal: maximize}\n"
                           "parameters: {lr: {min: 0.1, max: 0.2}}\n"
                           "scheduler: " +
                               scheduler +
                               "\n"
                               "trainer: {model: cnn, batch_size: 8}\n" +
                               more,
                           "s.yaml")),
          directory(SweepDirectory::create(folder / "s", file.text, {})),
          journal(Journal::create(directory.journal(), OrderedJson::object())),
          history(file.spec, Reports::all) {
        agents.on_order = [this](NodeId, const Order& order) {
            if (const auto* leave = std::get_if<LeaveTrial>(&order)) {
                for (const auto& slot : agents.slots()) {
                    agents.notices.push_back(LeftTrial{leave->trial, slot.id});
                }
            }
        };
    }

    Outcome run() { return Coordinator(file, directory, journal, history, agents, view).run(signals); }

    TemporaryFolder folder;
    SweepFile file;
    SweepDirectory directory;
    Journal journal;
    History history;
    PlayedAgents agents;
    SilentView view;
    StopSignals signals;
};

}  // namespace

TEST_CASE("the share of its time that a trial waits for data is journalled, and is among its results") {
    Stage stage("run_cap: 2\n", "{type: fifo, max: 3}");
    const auto report = [&](int trial, int resource, double wait) {
        stage.agents.notices.push_back(TrialMetrics{TrialId{trial}, Resource{resource}, {{"accuracy", 0.5}}, wait});
    };
    report(0, 1, 0.25);
    report(0, 2, 0.75);
    stage.agents.report(0, 3, 0.5);  // does not say
    for (const int resource : {1, 2, 3}) {
        stage.agents.report(1, resource, 0.5);
    }

    stage.run();

    const auto history = History::read(stage.file.spec, stage.directory.journal());
    CHECK(history.of(TrialId{0}).data_wait.value() == 0.5);
    CHECK_FALSE(history.of(TrialId{1}).data_wait.value().has_value());
    const auto rows = Json::parse(trials_table(history).print(Format::json));
    CHECK(rows[0]["data_wait"] == 0.5);
    CHECK(rows[1]["data_wait"].is_null());
}

TEST_CASE("a report is answered by going on, growing over both nodes, or leaving") {
    Stage stage("run_cap: 1\n");
    stage.agents.report(0, 1, 0.5);
    stage.agents.report(0, 2, 0.6);
    stage.agents.report(0, 3, 0.7);
    stage.agents.report(0, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    const auto joins = stage.agents.sent<JoinGroup>();
    REQUIRE(joins.size() == 3);  // one worker, then one on each node
    CHECK(joins[0].second.state == StateSource::fresh);
    CHECK(joins[0].second.checkpoint_at == Resource{1});
    CHECK(joins[0].second.work.settings.at("batch_size") == 8);
    CHECK(joins[0].second.work.settings.contains("lr"));
    for (int node : {0, 1}) {
        const auto& [to, join] = joins[static_cast<std::size_t>(1 + node)];
        CHECK(to == NodeId{node});
        CHECK(join.state == StateSource::memory);
        CHECK(join.generation == 1);
        CHECK(join.size == 2);
        REQUIRE(join.members.size() == 1);
        CHECK(join.members[0].rank == node);
        CHECK(join.batch_multiple == 2);
    }
    const auto go_on = stage.agents.sent<GoOn>();
    REQUIRE(go_on.size() == 4);  // after 2 and 3, to each node
    CHECK(go_on[0].second.checkpoint_at == Resource{4});
    CHECK(stage.agents.sent<LeaveTrial>().size() == 2);
}

TEST_CASE("a report is in the journal before it is answered") {
    Stage stage("run_cap: 1\n");
    stage.agents.report(0, 1, 0.5);
    stage.agents.report(0, 2, 0.6);
    stage.agents.report(0, 4, 0.8);
    const auto leave = stage.agents.on_order;
    int answers = 0;
    stage.agents.on_order = [&](NodeId node, const Order& order) {
        if (std::holds_alternative<GoOn>(order)) {
            ++answers;
            CHECK(Journal::read(stage.directory.journal()).back().at("resource") == 2);
        }
        leave(node, order);
    };

    stage.run();

    CHECK(answers == 2);
}

TEST_CASE("a report that is known already is answered and not journalled again") {
    Stage stage("run_cap: 1\n");
    stage.agents.report(0, 1, 0.5);
    stage.agents.report(0, 1, 0.9);
    stage.agents.report(0, 4, 0.8);

    stage.run();

    CHECK(stage.history.of(TrialId{0}).reports.size() == 2);
    CHECK(stage.agents.sent<GoOn>().size() == 2);
    CHECK(stage.history.of(TrialId{0}).reports.front().metrics.at("accuracy") == 0.5);
}

TEST_CASE("reports that a program sends in one go, and out of order, end no sweep") {
    Stage stage("run_cap: 1\n");
    stage.agents.all_at_once = true;
    for (const int resource : {3, 2, 3, 4}) {
        stage.agents.report(0, resource, 0.5);
    }

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.of(TrialId{0}).reports.size() == 2);
}

TEST_CASE("a worker that fails in the turn of a report that makes its group grow is left behind at once") {
    Stage stage("run_cap: 1\n");
    stage.agents.all_at_once = true;
    stage.agents.report(0, 1, 0.5);
    stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::crash, "signal 9"});
    const auto leave = stage.agents.on_order;
    stage.agents.on_order = [&](NodeId node, const Order& order) {
        leave(node, order);
        if (const auto* join = std::get_if<JoinGroup>(&order); join && join->generation == 2) {
            CHECK(node == NodeId{1});
            CHECK(join->size == 1);
            stage.agents.report(0, 4, 0.8);
        }
    };

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.of(TrialId{0}).reports.size() == 2);
}

TEST_CASE("the survivors of a dead worker go on in memory, and the group grows back at the next report") {
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
    CHECK(alone.state == StateSource::memory);
    CHECK(alone.generation == 2);
    CHECK(alone.size == 1);
    CHECK(alone.members[0].rank == 0);
    CHECK(alone.batch_multiple == 2);
    CHECK(alone.reported == Resource{1});
    CHECK(joins[4].second.generation == 3);
    CHECK(joins[4].second.reported == Resource{2});
}

TEST_CASE("a trial whose every worker has died is resumed from its checkpoint") {
    Stage stage("run_cap: 1\n");
    stage.agents.report(0, 1, 0.5);
    for (const int slot : {0, 1}) {
        stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{slot}, FailureKind::crash, "signal 9"});
    }
    stage.agents.report(0, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    const auto joins = stage.agents.sent<JoinGroup>();
    CHECK(joins.back().second.state == StateSource::checkpoint);
    CHECK(joins.back().second.size == 2);
    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 1);  // in one turn of events
}

TEST_CASE("a trial that uses up its retries has its survivors leave before their slots get another trial") {
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

TEST_CASE("an error that repeats, whatever numbers are in it, fails the trial at once") {
    Stage stage("run_cap: 2\nmax_retries: 9\n");
    stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::error, "no file, process 12"});
    stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::error, "no file, process 345"});
    stage.agents.report(1, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.sweep().trial(TrialId{0}).status == TrialStatus::failed);
    CHECK(stage.view.said.at(1) ==
          "trial 0 failed, and is not tried again, since another attempt would end so too: no file, process 345");
}

TEST_CASE("an error that comes back after progress, and a crash that repeats, are tried again") {
    Stage stage("run_cap: 1\nmax_retries: 1\n", "{type: fifo, max: 4}");
    stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::error, "no luck"});
    stage.agents.report(0, 1, 0.5);
    stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::error, "no luck"});
    stage.agents.report(0, 2, 0.5);
    for (const int epoch : {3, 4}) {
        stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::crash, "signal 9"});
        stage.agents.report(0, epoch, 0.5);
    }

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.sweep().trial(TrialId{0}).status == TrialStatus::finished);
    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 4);
}

TEST_CASE("a trial that runs out of memory is told to take smaller micro-batches") {
    Stage stage("run_cap: 1\n");
    stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::out_of_memory, "64 GiB"});
    stage.agents.report(0, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    const auto joins = stage.agents.sent<JoinGroup>();
    CHECK(joins[0].second.accumulation == 1);
    CHECK(joins[1].second.accumulation == 2);
}

TEST_CASE("a checkpoint that cannot be written is no failure of its trial") {
    Stage stage("run_cap: 1\n");
    stage.agents.notices.push_back(
        CheckpointFailed{TrialId{0}, SlotId{0}, "cannot write checkpoint.pt: No space left on device"});

    CHECK_THROWS_AS(stage.run(), DirectoryError);

    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 0);
}

TEST_CASE("a worker that fails where the sweep's directory cannot be written costs its trial nothing") {
    Stage stage("run_cap: 1\n");
    stage.agents.notices.push_back(WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::error, "no space"});
    std::filesystem::create_directories(stage.directory.path() / "probe");  // not even root can write this file

    CHECK_THROWS_AS(stage.run(), DirectoryError);

    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 0);
}

TEST_CASE("a node that is lost costs its workers; their groups go on in memory, or elsewhere") {
    Stage stage("run_cap: 2\n", "{type: rasda, min: 1, max: 4, reduction_factor: 2}");
    stage.agents.report(0, 1, 0.5);
    stage.agents.notices.push_back(AgentLost{NodeId{1}, "no sign of life"});
    stage.agents.report(0, 4, 0.8);
    stage.agents.report(1, 4, 0.7);

    CHECK(stage.run() == Outcome::finished);

    const auto& sweep = stage.history.sweep();
    CHECK(sweep.num_slots() == 1);
    CHECK(sweep.trial(TrialId{1}).failures == 0);
    CHECK(stage.agents.sent<JoinGroup>().back().first == NodeId{0});
    CHECK(stage.agents.sent<JoinGroup>().back().second.work.trial == TrialId{1});
}

TEST_CASE("a slot where one trial after the other fails is left out, and its next trial goes on elsewhere") {
    Stage stage("run_cap: 5\nmax_retries: 0\n", "{type: fifo, max: 4}");
    stage.agents.report(0, 1, 0.5);
    for (const int trial : {1, 2, 3}) {  // node 1 has slot 1
        stage.agents.notices.push_back(WorkerFailed{TrialId{trial}, SlotId{1}, FailureKind::crash, "no GPU"});
    }
    stage.agents.report(0, 4, 0.8);
    const auto leave = stage.agents.on_order;
    stage.agents.on_order = [&](NodeId node, const Order& order) {
        leave(node, order);
        if (const auto* join = std::get_if<JoinGroup>(&order); join && join->state == StateSource::checkpoint) {
            stage.agents.report(4, 4, 0.7);
        }
    };

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.history.left_out() == std::set{SlotId{1}});
    CHECK(stage.history.sweep().num_slots() == 1);
    const auto [node, join] = stage.agents.sent<JoinGroup>().back();
    CHECK(node == NodeId{0});
    CHECK(join.work.trial == TrialId{4});
    CHECK(stage.history.sweep().trial(TrialId{4}).failures == 0);
    CHECK(History::read(stage.file.spec, stage.directory.journal()).left_out() == std::set{SlotId{1}});
}

TEST_CASE("a slot where no trainer starts is lost until one does, and its trial goes on elsewhere") {
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
    CHECK(joins[2].second.work.trial == TrialId{1});
    CHECK(joins[3].first == NodeId{1});
    CHECK(joins[3].second.work.trial == TrialId{2});
    CHECK(stage.history.sweep().trial(TrialId{1}).failures == 0);
    CHECK(stage.history.sweep().num_slots() == 2);
    REQUIRE(stage.view.said.size() == 2);  // each once
    CHECK(stage.view.said[0] == "slot 1 of node 1 is out of use: no GPU; it is tried again, less and less often");
    CHECK(stage.view.said[1] == "slot 1 is in use again");
}

TEST_CASE("a sweep none of whose slots has a trainer that starts is given up after each has been tried twice more") {
    Stage stage("run_cap: 3\n", "{type: fifo, max: 4}");
    for (const int num_retries : {0, 1, 2}) {
        stage.agents.notices.push_back(SlotDown{SlotId{0}, num_retries, "no GPU"});
        stage.agents.notices.push_back(SlotDown{SlotId{1}, num_retries, "no GPU"});
    }

    CHECK_THROWS_WITH(stage.run(),
                      "no trainer can be started on any slot, and nothing runs: no GPU; resume the sweep once that is "
                      "fixed");

    CHECK(stage.agents.notices.empty());
    CHECK(stage.history.sweep().state() == SweepState::running);
}

TEST_CASE("one slot that works is enough, however often the others are tried in vain") {
    Stage stage("run_cap: 1\n", "{type: fifo, max: 4}");
    for (int num_retries = 0; num_retries < 9; ++num_retries) {
        stage.agents.notices.push_back(SlotDown{SlotId{1}, num_retries, "no GPU"});
    }
    stage.agents.report(0, 4, 0.5);

    CHECK(stage.run() == Outcome::finished);
}

TEST_CASE("a program that ends well without a report ends the sweep at once") {
    Stage stage("run_cap: 9\n", "{type: fifo, max: 4}");
    stage.agents.notices.push_back(
        WorkerFailed{TrialId{0}, SlotId{0}, FailureKind::repeated_error, "no report", ProgramFault::never_reports});

    CHECK(stage.run() == Outcome::hopeless);

    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 1);
    CHECK(stage.agents.sent<JoinGroup>().size() == 2);  // the first two, and nobody in their place
}

TEST_CASE("arguments that every program refuses end the sweep; those of one configuration cost its trial") {
    const auto refuse = [](int trial) {
        return WorkerFailed{TrialId{trial}, SlotId{trial % 2}, FailureKind::repeated_error, "exit status 2",
                            ProgramFault::usage_error};
    };
    Stage all("run_cap: 9\n", "{type: fifo, max: 4}");
    all.agents.notices = {refuse(0), refuse(1)};  // those that had begun when the first did
    Stage one("run_cap: 2\n", "{type: fifo, max: 4}");
    one.agents.notices = {refuse(0)};
    one.agents.report(1, 4, 0.5);

    CHECK(all.run() == Outcome::hopeless);
    CHECK(one.run() == Outcome::finished);

    CHECK(one.history.sweep().trial(TrialId{0}).status == TrialStatus::failed);
    CHECK(one.history.sweep().trial(TrialId{0}).failures == 1);
}

TEST_CASE("trials that report the same numbers for different parameters are told of once") {
    Stage stage("run_cap: 4\n", "{type: fifo, max: 2}");
    for (const int trial : {0, 1, 2, 3}) {
        stage.agents.report(trial, 1, 0.5);
        stage.agents.report(trial, 2, 0.5);
    }

    stage.run();

    CHECK(std::ranges::count_if(stage.view.said, [](const auto& line) {
              return line.starts_with("three trials with different parameters report the same numbers");
          }) == 1);
}

TEST_CASE("the journal of a sweep that left out whole nodes names their slots") {
    Stage stage("run_cap: 1\n");
    for (const auto* record :
         {R"({"note":"session","time":1,"host":"h","slots":3})",
          R"({"event":"slots_joined","time":1,"slots":[{"slot":0,"node":0},{"slot":1,"node":1},{"slot":2,"node":1}]})",
          R"({"note":"left_out","time":2,"node":1})", R"({"event":"slots_lost","time":2,"slots":[1,2]})"}) {
        stage.history.apply(Json::parse(record));
    }

    CHECK(stage.history.left_out() == std::set{SlotId{1}, SlotId{2}});
}

TEST_CASE("three trials that fail before anybody has reported stop the sweep, which can be resumed") {
    Stage stage("run_cap: 9\nmax_retries: 0\n", "{type: fifo, max: 4}");
    for (const int trial : {0, 1, 2}) {
        stage.agents.notices.push_back(
            WorkerFailed{TrialId{trial}, SlotId{trial % 2}, FailureKind::error, "no such file"});
    }

    CHECK(stage.run() == Outcome::hopeless);

    CHECK(stage.history.sweep().state() == SweepState::running);
    CHECK(stage.agents.sent<LeaveTrial>().size() == 1);  // what ran is saved, and nobody else is started
    CHECK(stage.agents.sent<LeaveTrial>().back().second.save);
}

TEST_CASE("trials that fail after somebody has reported fail by themselves") {
    Stage stage("run_cap: 4\nmax_retries: 0\n", "{type: fifo, max: 4}");
    stage.agents.report(0, 1, 0.5);
    for (const int trial : {1, 2, 3}) {
        stage.agents.notices.push_back(WorkerFailed{TrialId{trial}, SlotId{1}, FailureKind::error, "no such file"});
    }
    stage.agents.report(0, 4, 0.5);

    CHECK(stage.run() == Outcome::finished);
}

TEST_CASE("workers that all lost each other come together again, and are given up after the fourth time") {
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
    REQUIRE(joins.size() == 11);  // one worker; two; thrice again on both nodes; both from the checkpoint
    for (std::size_t i = 3; i < 9; ++i) {
        CHECK(joins[i].second.state == StateSource::memory);
        CHECK(joins[i].second.generation == 1);
    }
    CHECK(joins[9].second.state == StateSource::checkpoint);
    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 1);
}

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

TEST_CASE("the winner alone saves when the target ends the sweep, and is measured on the test data") {
    Stage stage("run_cap: 5\nbudget: {target: 0.9}\n");
    (*stage.file.trainer)["data"] = {{"test", "x.h5:/test"}};
    stage.agents.report(1, 1, 0.5);
    stage.agents.report(0, 1, 0.95);
    const auto leave = stage.agents.on_order;
    stage.agents.on_order = [&](NodeId node, const Order& order) {
        leave(node, order);
        if (const auto* evaluate = std::get_if<EvaluateTrial>(&order)) {
            CHECK(evaluate->resource == Resource{1});
            stage.agents.notices.push_back(TrialEvaluated{TrialId{0}, {{"test_accuracy", 0.94}}, ""});
        }
    };

    CHECK(stage.run() == Outcome::finished);

    for (const auto& [node, order] : stage.agents.sent<LeaveTrial>()) {
        CHECK(order.save == (order.trial == TrialId{0}));
    }
    CHECK(stage.history.test()->metrics.at("test_accuracy") == 0.94);
    CHECK(Journal::read(stage.directory.journal()).back().at("note") == "tested");
}

TEST_CASE("a request to stop saves every trial, and the next session resumes them") {
    Stage stage("run_cap: 2\n");
    stage.agents.report(0, 1, 0.5);
    stage.agents.num_waits = 10'000;  // it does not look for requests every turn
    const auto leave = stage.agents.on_order;
    stage.agents.on_order = [&](NodeId node, const Order& order) {
        if (std::holds_alternative<GoOn>(order)) {
            write_atomically(stage.directory.stop_request(), "");
        }
        leave(node, order);
    };

    CHECK(stage.run() == Outcome::interrupted);

    CHECK(stage.agents.sent<LeaveTrial>().size() == 2);
    CHECK(stage.agents.sent<LeaveTrial>().front().second.save);
    std::filesystem::remove(stage.directory.stop_request());
    stage.agents.orders.clear();
    stage.agents.notices.clear();
    stage.agents.report(0, 4, 0.8);
    stage.agents.report(1, 4, 0.9);
    CHECK(stage.run() == Outcome::finished);
    const auto joins = stage.agents.sent<JoinGroup>();
    REQUIRE(joins.size() == 3);  // trial 0 with the two workers that its rung is due, then trial 1 with one
    for (const auto& [node, join] : joins) {
        CHECK(join.state == StateSource::checkpoint);
    }
    CHECK(joins[1].second.work.trial == TrialId{0});
    CHECK(joins[1].second.size == 2);
    CHECK(joins[2].second.work.trial == TrialId{1});
    CHECK(stage.history.num_sessions() == 2);
}

TEST_CASE("a paused trial leaves without saving, is resumed from its checkpoint, and has not ended by leaving") {
    // Promoting with eta 2: after two results at a rung the best one goes on.
    Stage stage("run_cap: 2\n", "{type: asha, min: 1, max: 2, reduction_factor: 2, mode: promote, max_concurrent: 1}");
    const auto leave = stage.agents.on_order;
    stage.agents.on_order = [&](NodeId node, const Order& order) {
        leave(node, order);
        if (const auto* join = std::get_if<JoinGroup>(&order)) {
            const bool resumed = join->state == StateSource::checkpoint;
            stage.agents.report(join->work.trial.value, resumed ? 2 : 1, resumed ? 0.95 : 0.9 - join->work.trial.value);
        }
    };

    CHECK(stage.run() == Outcome::finished);

    const auto joins = stage.agents.sent<JoinGroup>();
    REQUIRE(joins.size() == 3);  // trial 0, trial 1, and trial 0 again
    CHECK(joins[2].second.work.trial == TrialId{0});
    CHECK(joins[2].second.state == StateSource::checkpoint);
    CHECK_FALSE(stage.agents.sent<LeaveTrial>().front().second.save);
    CHECK(stage.history.sweep().trial(TrialId{0}).status == TrialStatus::finished);
    CHECK(stage.history.sweep().trial(TrialId{0}).failures == 0);
    CHECK(stage.history.sweep().trial(TrialId{1}).status == TrialStatus::stopped);
}

TEST_CASE("a checkpoint that a stopped trial's trainer still wrote before it left is dropped as well") {
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

TEST_CASE("a program that ended with the report that pauses it is not waited for") {
    Stage stage("run_cap: 1\n", "{type: asha, min: 1, max: 2, reduction_factor: 2, mode: promote}");
    stage.agents.on_order = nullptr;  // nobody is there to answer
    stage.agents.notices.push_back(ProgramEnded{TrialId{0}});

    CHECK(stage.run() == Outcome::finished);

    CHECK(stage.agents.sent<LeaveTrial>().empty());
}

TEST_CASE("replaying the journal gives the state that the coordinator had") {
    Stage stage("run_cap: 3\n");
    stage.agents.report(0, 1, 0.5);
    stage.agents.report(1, 1, 0.4);
    stage.agents.report(0, 2, 0.55);
    stage.agents.report(2, 1, 0.6);
    stage.agents.report(0, 4, 0.7);
    stage.agents.report(2, 4, 0.65);

    CHECK(stage.run() == Outcome::finished);

    const auto replayed = History::read(stage.file.spec, stage.directory.journal());
    REQUIRE(replayed.sweep().trials().size() == 3);
    for (const auto& trial : stage.history.sweep().trials()) {
        const auto& again = replayed.sweep().trial(trial.id);
        CHECK(again.status == trial.status);
        CHECK(again.resource == trial.resource);
        CHECK(again.loss == trial.loss);
        CHECK(again.group.generation == trial.group.generation);
    }
    CHECK(replayed.slot_seconds() == stage.history.slot_seconds());
    CHECK(replayed.elapsed() == stage.history.elapsed());
}

TEST_CASE("near the deadline each program gives way at its report, and the session ends as soon as all have") {
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

    const auto outcome =
        Coordinator(stage.file, stage.directory, stage.journal, stage.history, stage.agents, stage.view)
            .run(stage.signals, now + 1500);

    CHECK(outcome == Outcome::interrupted);
    CHECK(stage.agents.sent<GoOn>().empty());
    CHECK(stage.agents.sent<LeaveTrial>().size() == 2);
    for (const auto id : {TrialId{0}, TrialId{1}}) {
        CHECK(stage.history.sweep().trial(id).status == TrialStatus::waiting);
    }
    CHECK(stage.history.sweep().trials().size() == 2);  // nobody took the free slots
}

TEST_CASE("when the deadline is there what runs is saved") {
    Stage stage("run_cap: 4\n");

    const auto outcome =
        Coordinator(stage.file, stage.directory, stage.journal, stage.history, stage.agents, stage.view)
            .run(stage.signals, wall_clock());

    CHECK(outcome == Outcome::interrupted);
    for (const auto& [node, leave] : stage.agents.sent<LeaveTrial>()) {
        CHECK(leave.save);
    }
    CHECK(stage.agents.sent<LeaveTrial>().size() == 2);
}

TEST_CASE("each trial's configuration is in the journal, and counts when it is read again") {
    Stage stage("run_cap: 2\n", "{type: fifo, max: 1}");
    stage.agents.report(0, 1, 0.5);
    stage.agents.report(1, 1, 0.6);
    stage.run();

    auto other = stage.file.spec;
    other.seed = 99;  // draws others
    const auto history = History::read(other, stage.directory.journal());

    for (const auto& trial : stage.history.sweep().trials()) {
        CHECK(trial.is_proposed);
        CHECK(history.sweep().trial(trial.id).config == trial.config);
        CHECK(trial.config != RandomSampler(other.space, 99).propose(trial.id)->config);
    }
}

TEST_CASE("a configuration takes part in the next sync and needs none of its own") {
    Stage stage("run_cap: 1\n", "{type: fifo, max: 2}");
    std::vector<std::size_t> num_lines;
    stage.agents.on_order = [&, before = stage.agents.on_order](NodeId to, const Order& order) {
        num_lines.push_back(Journal::read(stage.directory.journal()).size());
        before(to, order);
    };
    stage.agents.report(0, 1, 0.5);
    stage.agents.report(0, 2, 0.6);
    stage.run();

    REQUIRE(num_lines.size() == 3);
    CHECK(num_lines[0] == 3);  // header, session and slots: the trial starts
    CHECK(num_lines[1] == 5);  // its configuration and the first report, together
    CHECK(Journal::read(stage.directory.journal())[3].at("event") == "trial_proposed");
}
