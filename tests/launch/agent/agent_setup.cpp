#include "launch/agent/agent_setup.hpp"

#include <doctest/doctest.h>

using namespace crescendo;
using namespace crescendo::launch;

TEST_CASE("every node gets the setup that rank 0 has") {
    AgentSetup setup;
    setup.kind = WorkerKind::warm_trainer;
    setup.trainer = {"python3", "grow.py"};
    setup.supervision.metric = "loss";
    setup.supervision.report = ReportSource{{"(?P<loss>.*)"}, "log", 0};
    setup.directory = "/work";
    setup.log = "/sweep/trainers.log";
    setup.supervision.hang_timeout = std::chrono::minutes(5);
    setup.save_timeout = std::chrono::seconds(7);
    setup.restart_interval = std::chrono::milliseconds(250);
    setup.interface = "eth0";

    const auto got = Json::from_cbor(Json::to_cbor(Json(setup))).get<AgentSetup>();

    CHECK(got.kind == setup.kind);
    CHECK(got.trainer == setup.trainer);
    CHECK(got.supervision.metric == "loss");
    CHECK(got.supervision.report == setup.supervision.report);
    CHECK(got.directory == setup.directory);
    CHECK(got.log == setup.log);
    CHECK(got.supervision.hang_timeout == setup.supervision.hang_timeout);
    CHECK(got.save_timeout == setup.save_timeout);
    CHECK(got.restart_interval == setup.restart_interval);
    CHECK(got.interface == setup.interface);
    CHECK_FALSE(Json(AgentSetup()).get<AgentSetup>().supervision.hang_timeout.has_value());
}
