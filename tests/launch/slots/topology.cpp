#include "launch/slots/topology.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace crescendo::launch;

TEST_CASE("an emulated machine has its cores, their NUMA nodes and their hardware threads") {
    const auto cores = cores_of("numa:2 core:2 pu:2");

    CHECK(cores == std::vector<Core>{{0, {0, 1}}, {0, {2, 3}}, {1, {4, 5}}, {1, {6, 7}}});
}

TEST_CASE("only allowed threads count, and a core counts if one of its threads is allowed") {
    const auto cores = cores_of("numa:2 core:2 pu:2", "1,6-7");

    CHECK(cores == std::vector<Core>{{0, {1}}, {1, {6, 7}}});
}

TEST_CASE("a machine description that hwloc does not understand is an error") {
    CHECK_THROWS_WITH_AS(cores_of("numa:two"), "hwloc does not understand the machine 'numa:two'", std::runtime_error);
}

TEST_CASE("this machine has a core, and its threads are in the affinity mask") {
    const auto cores = cores_of_this_machine();

    REQUIRE_FALSE(cores.empty());
    CHECK_FALSE(cores.front().cpus.empty());
}

TEST_CASE("lists of CPUs use the notation of the system") {
    CHECK(list_text({}) == "");
    CHECK(list_text({8, 1, 0, 2}) == "0-2,8");
    CHECK(overlap("0-3,8", "8-9"));
    CHECK_FALSE(overlap("0-3,8", "4-7"));
    CHECK_FALSE(overlap("", "0"));
}
