#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <deque>
#include <functional>
#include <thread>

#include "launch/coordinator/coordinator.hpp"
#include "tests/temporary_folder.hpp"

namespace crescendo::tests {

using namespace launch;

inline protocol::Report report_of(int trial, int resource, double accuracy, std::optional<double> data_wait = {}) {
    return {.trial = TrialId{trial},
            .resource = Resource{resource},
            .metrics = {{"accuracy", accuracy}},
            .data_wait = data_wait};
}

/// Agents played by the test, on two nodes with one slot each, so that routing matters. They answer orders as
/// `on_order` says, and keep all orders for the test.
class PlayedAgents final : public Transport {
  public:
    std::vector<Slot> slots() const override { return all_slots; }

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
        notices.push_back(report_of(trial, resource, accuracy));
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

    std::vector<Slot> all_slots{{SlotId{0}, NodeId{0}}, {SlotId{1}, NodeId{1}}};
    std::function<void(NodeId, const Order&)> on_order;
    std::function<void(const std::vector<Notice>&)> on_notices;  ///< before the coordinator gets them
    std::vector<std::pair<NodeId, Order>> orders;
    std::deque<Notice> notices;
    bool all_at_once = false;
    int num_waits = 0;  ///< how often nothing may arrive for at least a millisecond
};

class SilentView final : public LiveView {
  public:
    void update(const History&, double) override {}
    void change_time_budget(std::optional<double> seconds) override { time_budget = seconds; }
    void say(const std::string& line) override { said.push_back(line); }
    std::chrono::milliseconds period() const override { return std::chrono::milliseconds(1); }

    std::vector<std::string> said;
    std::optional<double> time_budget;  ///< the last one that was set while the sweep ran
};

/// A sweep of up to four epochs in a folder of its own; trials leave when they are told to.
struct Stage {
    explicit Stage(const std::string& more,
                   const std::string& scheduler = "{type: rasda, min: 1, max: 4, reduction_factor: 2, batch: ladder}")
        : file(parse_sweep("name: s\nmetric: {name: accuracy, goal: maximize}\n"
                           "parameters: {lr: {min: 0.1, max: 0.2}}\n"
                           "scheduler: " +
                               scheduler +
                               "\n"
                               "trainer: {model: cnn, batch_size: 8}\n" +
                               more,
                           "s.yaml")),
          directory(SweepDirectory::create(folder / "s", file.text, {{"working_directory", folder.path().string()}})),
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

    Outcome run(std::optional<SessionEnd::Deadline> deadline = {}) {
        return Coordinator({file, directory, journal, history}, agents, view).run(signals, std::move(deadline));
    }

    std::vector<Json> journalled() const { return Journal::read(directory.journal()); }

    TemporaryFolder folder;
    SweepFile file;
    SweepDirectory directory;
    Journal journal;
    History history;
    PlayedAgents agents;
    SilentView view;
    StopSignals signals;
};

/// A notice of every kind, in the order of the kinds, about the trial that trains on slot 0 of node 0.
inline std::vector<Notice> notices_of_every_kind(TrialId trial) {
    const SlotId slot{0};
    const Json request{{"id", 5}, {"trial", trial.value}, {"generation", 0}, {"op", "check"}, {"keys", {"x"}}};
    std::vector<Notice> notices{report_of(trial.value, 1, 0.7),
                                ProgramEnded{trial},
                                WorkerFailed{trial, slot, FailureKind::crash, "signal 9"},
                                StoreRequest{slot, request},
                                protocol::Regrouped{trial, 0, 0.1},
                                LeftTrial{trial, slot},
                                TrialEvaluated{trial, {{"test_accuracy", 0.1}}, {}},
                                AgentLost{NodeId{0}, "no sign of life"},
                                WorkerStranded{trial, slot, 0},
                                CheckpointFailed{trial, slot, "no space"},
                                SlotDown{slot, 0, "no GPU"},
                                SlotUp{slot},
                                ProgramRemark{trial, "no match"},
                                EnergyUsed{NodeId{0}, "h", true, 12.5, true, {{trial, 7.5}}, 0.5},
                                protocol::Timed{trial, 0, 0.1, 64}};
    for (std::size_t kind = 0; kind < std::variant_size_v<Notice>; ++kind) {
        REQUIRE_MESSAGE((kind < notices.size() && notices[kind].index() == kind), "a kind of notice is missing here");
    }
    return notices;
}

}  // namespace crescendo::tests
