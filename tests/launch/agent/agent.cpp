#include "launch/agent/agent.hpp"

#include <doctest/doctest.h>

#include "tests/launch/agent/program_node.hpp"
#include "tests/launch/energy/fake_powercap.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("what the node used is told as its last trial leaves") {
    const TemporaryFolder meters;
    write_zone(meters / "intel-rapl:0", "package-0", 1'000'000);
    ::setenv("CRESCENDO_POWERCAP", meters.path().c_str(), 1);
    ProgramNode node(1);
    ::unsetenv("CRESCENDO_POWERCAP");
    node.start(0, 0, report_once);
    node.next<protocol::Report>();
    write_zone(meters / "intel-rapl:0", "package-0", 3'500'000);

    node.agent.obey(protocol::Leave{TrialId{0}, false});

    CHECK(node.next<EnergyUsed>().cpus == 2.5);
}

TEST_CASE("when the agent goes, so do its programs and what they started in other sessions") {
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

TEST_CASE("slots work side by side") {
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

TEST_CASE("who was in a trial's group and is not in its next one leaves") {
    ProgramNode node(2);
    const std::string script = std::string(report_once) + "[[ $reply == *stop* ]]";
    node.start(4, 0, script);
    node.next<protocol::Report>();

    node.start(4, 1, script);

    CHECK(node.next<LeftTrial>().slot == SlotId{0});
}
