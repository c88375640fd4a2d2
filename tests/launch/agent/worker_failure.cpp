#include "launch/agent/worker_failure.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <fstream>

#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;

TEST_CASE("a worker that the kernel killed for its memory is out of memory; others have crashed") {
    const tests::TemporaryFolder folder;
    const auto set_kills = [&](int count) { std::ofstream(folder / "memory.events") << "oom_kill " << count << '\n'; };
    const ExitStatus killed{.code = 128 + SIGKILL, .signal = SIGKILL};
    set_kills(0);
    OomKills kills(folder / "memory.events");

    CHECK(kind_of(killed, kills) == FailureKind::crash);
    set_kills(1);
    CHECK(kind_of({.code = 3}, kills) == FailureKind::crash);
    CHECK(kind_of(killed, kills) == FailureKind::out_of_memory);
    CHECK(kind_of(killed, kills) == FailureKind::crash);  // each kill counts for one worker
}
