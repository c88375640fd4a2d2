#include "launch/process/oom_kills.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/temporary_folder.hpp"

using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

TEST_CASE("each kill that the kernel counts is taken once, and earlier kills are ignored") {
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

TEST_CASE("there are no kills if the kernel keeps no count") {
    const TemporaryFolder folder;

    CHECK_FALSE(OomKills(folder / "memory.events").take());
}
