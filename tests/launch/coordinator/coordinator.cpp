#include "core/files/durable_file.hpp"
#include "launch/coordinator/coordinator.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/launch/coordinator/stage.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::Stage;

TEST_CASE("a report is answered with a decision to continue, to grow over both nodes, or to leave") {
    Stage stage("run_cap: 1\n");
    stage.agents.report(0, 1, 0.5);
    stage.agents.report(0, 2, 0.6);
    stage.agents.report(0, 3, 0.7);
    stage.agents.report(0, 4, 0.8);

    CHECK(stage.run() == Outcome::finished);

    const auto joins = stage.agents.sent<JoinGroup>();
    REQUIRE(joins.size() == 3);  // one worker, then one on each node
    CHECK(joins[0].second.join.state == protocol::StateSource::fresh);
    CHECK(joins[0].second.join.checkpoint_at == Resource{1});
    const auto settings = Json::parse(joins[0].second.join.settings.text);
    CHECK(settings.at("batch_size") == 8);
    CHECK(settings.contains("lr"));
    for (int node : {0, 1}) {
        const auto& [to, join] = joins[static_cast<std::size_t>(1 + node)];
        CHECK(to == NodeId{node});
        CHECK(join.join.state == protocol::StateSource::memory);
        CHECK(join.join.generation == 1);
        CHECK(join.join.size == 2);
        REQUIRE(join.members.size() == 1);
        CHECK(join.members[0].rank == node);
        CHECK(join.join.batch.multiple == 2);
    }
    const auto go_on = stage.agents.sent<protocol::Decision>();
    REQUIRE(go_on.size() == 4);  // after 2 and 3, to each node
    CHECK(go_on[0].second.checkpoint_at == Resource{4});
    CHECK(stage.agents.sent<LeaveTrial>().size() == 2);
    CHECK(stage.agents.sent<LeaveTrial>().front().second.is_complete);
}

TEST_CASE("a request to stop saves every trial, and the next session resumes them") {
    Stage stage("run_cap: 2\n");
    stage.agents.report(0, 1, 0.5);
    stage.agents.num_waits = 10'000;  // it does not look for requests every turn
    const auto leave = stage.agents.on_order;
    stage.agents.on_order = [&](NodeId node, const Order& order) {
        if (std::holds_alternative<protocol::Decision>(order)) {
            replace_file(stage.directory.stop_request(), "");
        }
        leave(node, order);
    };

    CHECK(stage.run() == Outcome::interrupted);
    CHECK(stage.journalled().back().at("note") == "time");  // the account continues to the session's end

    CHECK(stage.agents.sent<LeaveTrial>().size() == 2);
    CHECK(stage.agents.sent<LeaveTrial>().front().second.save);
    std::filesystem::remove(stage.directory.stop_request());
    stage.agents.orders.clear();
    stage.agents.notices.clear();
    stage.agents.report(0, 4, 0.8);
    stage.agents.report(1, 4, 0.9);
    CHECK(stage.run() == Outcome::finished);
    const auto joins = stage.agents.sent<JoinGroup>();
    REQUIRE(joins.size() == 3);  // trial 0 with the two workers due at its rung, then trial 1 with one
    for (const auto& [node, join] : joins) {
        CHECK(join.join.state == protocol::StateSource::checkpoint);
    }
    CHECK(joins[1].second.join.trial == TrialId{0});
    CHECK(joins[1].second.join.size == 2);
    CHECK(joins[2].second.join.trial == TrialId{1});
    CHECK(stage.history.sessions().size() == 2);
}
