#include "launch/coordinator/final_test.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <fstream>
#include <utility>

#include "launch/trainers/trial_work.hpp"
#include "tests/launch/coordinator/stage.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::Stage;

namespace {

/// A sweep whose only trial reaches the target at once, and is then measured.
struct Finale : Stage {
    Finale() : Stage("run_cap: 5\nbudget: {target: 0.9}\n") {
        (*file.trainer)["data"] = {{"test", "x.h5:/test"}};
        agents.report(0, 1, 0.95);
    }

    /// Has agents send these once the evaluation is ordered.
    void answer_with(std::vector<Notice> notices) {
        agents.on_order = [this, notices, leave = agents.on_order](NodeId node, const Order& order) {
            leave(node, order);
            if (std::holds_alternative<EvaluateTrial>(order)) {
                agents.notices.insert(agents.notices.end(), notices.begin(), notices.end());
            }
        };
    }
};

}  // namespace

TEST_CASE("only the winner saves when the target ends the sweep, and it is measured on the test data") {
    Stage stage("run_cap: 5\nbudget: {target: 0.9}\n");
    (*stage.file.trainer)["data"] = {{"test", "x.h5:/test"}};
    stage.agents.report(1, 1, 0.5);
    stage.agents.report(0, 1, 0.95);
    const auto leave = stage.agents.on_order;
    stage.agents.on_order = [&](NodeId node, const Order& order) {
        leave(node, order);
        if (const auto* evaluate = std::get_if<EvaluateTrial>(&order)) {
            CHECK(evaluate->evaluate.resource == Resource{1});
            CHECK(evaluate->evaluate.seed ==
                  work_of(TrialId{0}, stage.history.sweep(), stage.file, stage.directory).join.seed);
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

TEST_CASE("the final test has no time limit if a worker that hangs is killed") {
    Supervision supervision;
    CHECK(longest_test(supervision) == std::chrono::minutes(10));

    supervision.hang_timeout = std::chrono::seconds(300);
    CHECK(longest_test(supervision) == std::nullopt);
}

TEST_CASE("a standstill of this process does not count as time of the measurement") {
    using namespace std::chrono_literals;
    Finale stage;
    Orders orders(stage.file, stage.directory, stage.history.sweep(), stage.agents);
    Decisions decisions(stage.journal, stage.history, orders, make_source(stage.file, {}));
    decisions.record(SlotsJoined{stage.agents.slots()});
    decisions.commit();
    SessionEnd end(stage.directory, stage.signals, {});
    FinalTest test(TrialId{0}, orders, stage.view, end, 1min);
    const auto begin = std::chrono::steady_clock::now();

    CHECK(test.begin_turn(begin + 1h));  // a suspended job
    for (auto time = 0s; time < 50s; ++time) {
        CHECK(test.begin_turn(begin + 1h + time));
    }
    test.begin_turn(begin + 1h + 53s);
    test.begin_turn(begin + 1h + 57s);
    CHECK_FALSE(test.begin_turn(begin + 1h + 61s));
}

TEST_CASE("while the winner is measured, a notice of any other kind changes nothing") {
    const TrialEvaluated measured{TrialId{0}, {{"test_accuracy", 0.94}}, {}};
    Finale undisturbed;
    undisturbed.answer_with({measured});
    undisturbed.run();

    for (const auto& notice : tests::notices_of_every_kind(TrialId{0})) {
        if (std::holds_alternative<TrialEvaluated>(notice) || std::holds_alternative<AgentLost>(notice) ||
            std::holds_alternative<SlotDown>(notice)) {
            continue;
        }
        CAPTURE(notice.index());
        Finale stage;
        stage.answer_with({notice, measured});

        CHECK(stage.run() == Outcome::finished);

        CHECK(stage.history.test()->metrics.at("test_accuracy") == 0.94);
        CHECK(stage.journalled().size() == undisturbed.journalled().size());
        CHECK(std::holds_alternative<EvaluateTrial>(stage.agents.orders.back().second));
        CHECK(stage.view.said == undisturbed.view.said);
    }
}

TEST_CASE("a stop request during the winner's measurement ends the session and leaves it to the next one") {
    Finale stage;
    stage.agents.num_waits = 100'000;
    stage.agents.on_order = [&, leave = stage.agents.on_order](NodeId node, const Order& order) {
        leave(node, order);
        if (std::holds_alternative<EvaluateTrial>(order)) {
            std::ofstream(stage.directory.stop_request()) << "stop\n";
        }
    };

    CHECK(stage.run() == Outcome::interrupted);

    CHECK_FALSE(stage.history.test().has_value());
    CHECK(stage.history.sweep().state() == SweepState::finished);
    CHECK(stage.view.said.back() == "trial 0 is not measured, because the session ends; the next session measures it");
}

TEST_CASE("a sweep does not wait for the winner's measurement if the winner's slot is lost meanwhile") {
    for (const Notice& lost :
         {Notice(AgentLost{NodeId{0}, "no sign of life"}), Notice(SlotDown{SlotId{0}, 0, "no GPU"})}) {
        Finale stage;
        stage.answer_with({AgentLost{NodeId{1}, "another one"}, SlotDown{SlotId{1}, 0, "another one"}, lost});

        CHECK(stage.run() == Outcome::finished);

        CHECK_FALSE(stage.history.test().has_value());
        CHECK(stage.view.said.back().starts_with("measuring on the test data failed: n"));
    }
}

TEST_CASE("a new winner is measured although an earlier session measured another one") {
    for (const int measured : {0, 1}) {
        CAPTURE(measured);
        Finale stage;
        stage.history.apply(test_note(1, TrialId{measured}, {{"test_accuracy", 0.9}}));
        stage.answer_with({TrialEvaluated{TrialId{0}, {{"test_accuracy", 0.94}}, {}}});

        CHECK(stage.run() == Outcome::finished);

        CHECK(stage.agents.sent<EvaluateTrial>().empty() == (measured == 0));
    }
}

TEST_CASE("what happens after the winner's measurement does not take it back") {
    Finale stage;
    stage.agents.all_at_once = true;
    stage.answer_with({TrialEvaluated{TrialId{0}, {{"test_accuracy", 0.94}}, {}},
                       AgentLost{NodeId{0}, "no sign of life"}, SlotDown{SlotId{0}, 0, "no GPU"}});
    stage.agents.on_notices = [&](const std::vector<Notice>& notices) {
        if (std::holds_alternative<TrialEvaluated>(notices.front())) {
            std::raise(SIGTERM);
        }
    };

    CHECK(stage.run() == Outcome::finished);

    REQUIRE(stage.history.test().has_value());
    CHECK(stage.history.test()->metrics.at("test_accuracy") == 0.94);
}

TEST_CASE("a slot that is lost while workers leave does not measure the winner unless it returns") {
    const AgentLost lost{NodeId{0}, "no sign of life"};
    const SlotDown down{SlotId{0}, 0, "no GPU"};
    const std::vector<std::pair<std::vector<Notice>, std::optional<NodeId>>> cases{
        {{lost}, NodeId{1}},
        {{down}, NodeId{1}},
        {{down, SlotUp{SlotId{0}}}, NodeId{0}},
        {{lost, AgentLost{NodeId{1}, "no sign of life"}}, std::nullopt}};
    for (const auto& [notices, measured_on] : cases) {
        Finale stage;
        stage.answer_with({TrialEvaluated{TrialId{0}, {{"test_accuracy", 0.94}}, {}}});
        stage.agents.on_order = [&, before = stage.agents.on_order, told = false](NodeId node,
                                                                                  const Order& order) mutable {
            if (std::holds_alternative<LeaveTrial>(order) && !std::exchange(told, true)) {
                stage.agents.notices.insert(stage.agents.notices.end(), notices.begin(), notices.end());
            }
            before(node, order);
        };

        CHECK(stage.run() == Outcome::finished);

        const auto orders = stage.agents.sent<EvaluateTrial>();
        CHECK(orders.empty() == !measured_on.has_value());
        CHECK(stage.history.test().has_value() == measured_on.has_value());
        if (measured_on) {
            CHECK(orders.front().first == *measured_on);
        } else {
            CHECK(stage.view.said.back() == "measuring on the test data failed: no slot is left");
        }
    }
}

TEST_CASE("test data that cannot be read do not make the sweep fail") {
    Finale stage;
    stage.answer_with({TrialEvaluated{TrialId{0}, {}, "no such file"}});

    CHECK(stage.run() == Outcome::finished);

    CHECK_FALSE(stage.history.test().has_value());
    CHECK(stage.view.said.back() == "measuring on the test data failed: no such file");
}
