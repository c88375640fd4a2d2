#include "launch/system/stop_signals.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <string>

using namespace crescendo::launch;

TEST_CASE("the end of the terminal is a request to stop, but not under nohup") {
    for (const bool is_nohup : {false, true}) {
        CAPTURE(is_nohup);
        std::signal(SIGHUP, is_nohup ? SIG_IGN : SIG_DFL);
        {
            const StopSignals signals;

            std::raise(SIGHUP);

            CHECK((signals.requested() == nullptr) == is_nohup);
        }
        std::signal(SIGHUP, SIG_DFL);
    }
}

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
