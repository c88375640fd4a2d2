#include "launch/process/oom_kills.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

TEST_CASE("each kill that the kernel counts is taken once, whatever happened before") {
    const TemporaryFolder folder;
    const auto counter = folder / "memory.events";
    const auto write = [&](int kills) { std::ofstream(counter) << "low 0\noom 9\noom_kill " << kills << "\n"; };
    write(5);
    OomKills kills(counter);

    CHECK_FALSE(kills.take());
    write(7);
    CHECK(kills.take());
    CHECK(kills.take());
    CHECK_FALSE(kills.take());
}

TEST_CASE("where the kernel keeps no count there are no kills") {
    const TemporaryFolder folder;

    CHECK_FALSE(OomKills(folder / "memory.events").take());
}

TEST_CASE("a kill in a container that sees its own control group alone was taken for a crash") {
    const TemporaryFolder mount;
    std::filesystem::create_directories(mount / "memory/job/17");
    std::istringstream outside("4:cpu:/\n3:memory:/job/17\n0::/\n"), inside("4:cpu:/\n3:memory:/docker/5e\n");
    std::istringstream unified("0::/docker/5e\n");
    std::ofstream(mount / "memory/job/17/memory.oom_control") << "oom_kill 0\n";

    CHECK(oom_counter(outside, mount.path()) == mount / "memory/job/17/memory.oom_control");
    CHECK(oom_counter(inside, mount.path()) == mount / "memory/memory.oom_control");
    CHECK(oom_counter(unified, mount.path()) == mount / "memory.events");
}
