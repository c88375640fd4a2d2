#include "launch/agent/agent.hpp"

#include <doctest/doctest.h>

#include "tests/launch/agent/program_node.hpp"
#include "tests/launch/energy/fake_powercap.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("an agent reports the energy that its node used when the last trial leaves") {
    const TemporaryFolder meters;
    write_zone(meters / "intel-rapl:0", "package-0", 1'000'000);
    ::setenv("CRESCENDO_POWERCAP", meters.path().c_str(), 1);
    ProgramNode node(1);
    ::unsetenv("CRESCENDO_POWERCAP");
    node.start(0, 0, report_once);
    node.next<protocol::Report>();
    write_zone(meters / "intel-rapl:0", "package-0", 3'500'000);

    node.agent.obey(LeaveTrial{TrialId{0}, false});

    CHECK(node.next<EnergyUsed>().cpus == 2.5);
}

TEST_CASE("an agent's programs and their processes in other sessions end with the agent") {
    long grandchild = 0;
    {
        ProgramNode node(2);
        node.start(0, 0,
                   std::string("trap '' TERM; setsid sleep 1000 & echo $! > grandchild; ") + report_once +
                       "sleep 1000; sleep 1000");
        node.next<protocol::Report>();
        grandchild = number_in(node.folder / "grandchild");
        REQUIRE(is_alive(grandchild));
    }

    CHECK_FALSE(is_alive(grandchild));
}

TEST_CASE("slots work at the same time") {
    ProgramNode node(3);

    for (int i = 0; i < 3; ++i) {
        node.start(i, i, report_once);
    }
    int sum = 0;
    for (int i = 0; i < 3; ++i) {
        sum += node.next<protocol::Report>().trial.value;
    }

    CHECK(sum == 0 + 1 + 2);
}

TEST_CASE("a worker that is not in its trial's next group leaves") {
    ProgramNode node(2);
    const std::string script = std::string(report_once) + "[[ $reply == *stop* ]]";
    node.start(4, 0, script);
    node.next<protocol::Report>();

    node.start(4, 1, script);

    CHECK(node.next<LeftTrial>().slot == SlotId{0});
}
