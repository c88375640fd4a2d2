#include "launch/messages/connected_process.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <vector>

#include "tests/await.hpp"

using namespace crescendo;
using namespace crescendo::launch;

TEST_CASE("if a process has closed its channel, only its end is watched, because the channel is always ready") {
    ProcessOptions options;
    options.command = {"sh", "-c", "exec 3>&-; exec sleep 1000"};
    ConnectedProcess connected(options);
    const auto num_watched = [&] {
        std::vector<pollfd> descriptors;
        connected.watch(descriptors);
        return descriptors.size();
    };
    CHECK(num_watched() == 2);

    tests::await("the end of the channel", [&] {
        connected.channel.receive();
        return connected.channel.closed();
    });
    CHECK(num_watched() == 1);
    CHECK_FALSE(connected.process.try_wait().has_value());

    connected.process.signal(SIGKILL);
    connected.await_end(std::chrono::minutes(1));
    CHECK(connected.process.try_wait()->signal == SIGKILL);
}
