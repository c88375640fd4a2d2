#include "launch/transport/heartbeat.hpp"

#include <doctest/doctest.h>

using namespace crescendo::launch;
using namespace std::chrono_literals;

TEST_CASE("the pause between polls doubles up to a limit while no message arrives, and a message resets it") {
    Pace pace;
    CHECK(pace.next() == 250us);

    pace.idle();
    CHECK(pace.next() == 500us);
    for (int i = 0; i < 100; ++i) {
        pace.idle();
    }
    CHECK(pace.next() == Pace::longest);

    pace.busy();
    CHECK(pace.next() == 250us);
}

TEST_CASE("a sign of life is due a second after the last one") {
    const SilenceTimer::Time start;
    SilenceTimer timer(start, 30s);

    CHECK_FALSE(timer.must_send(start + 999ms));
    CHECK(timer.must_send(start + 1s));

    timer.sent(start + 1s);
    CHECK_FALSE(timer.must_send(start + 1999ms));
}

TEST_CASE("time in which the listener stood still does not count as silence") {
    const SilenceTimer::Time start;
    SilenceTimer timer(start, 30s);
    const auto is_silent_after = [&](std::chrono::seconds from, std::chrono::seconds to) {
        for (auto time = from; time < to; ++time) {
            if (timer.stopped(start + time)) {
                return true;
            }
        }
        return timer.stopped(start + to);
    };

    CHECK_FALSE(is_silent_after(0s, 10s));
    CHECK_FALSE(is_silent_after(90s, 109s));  // a suspended job
    CHECK(is_silent_after(110s, 110s));
}

TEST_CASE("a rank is dead if it was silent for the time-out, and messages to it are no sign of life") {
    const SilenceTimer::Time start;
    SilenceTimer timer(start, 2s);
    timer.heard(start + 1s);
    timer.sent(start + 2s);

    CHECK_FALSE(timer.stopped(start + 2999ms));
    CHECK(timer.stopped(start + 3s));
}
