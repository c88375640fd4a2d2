#include "launch/system/stop_signals.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <string>

using namespace crescendo::launch;

TEST_CASE("a signal is seen also where nobody ever waits, because messages never cease") {
    const StopSignals signals;
    const auto requested = [&] {
        const char* name = signals.requested();
        return std::string(name != nullptr ? name : "nothing");
    };
    REQUIRE(requested() == "nothing");

    std::raise(SIGTERM);

    CHECK(requested() == "SIGTERM");
}
