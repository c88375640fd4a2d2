#include "launch/agent/worker_options.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/files/host_name.hpp"

using namespace crescendo;
using namespace crescendo::launch;

TEST_CASE("a slot is named after its GPU, else after its cores, else after its node") {
    WorkerOptions options;
    options.first_slot = SlotId{8};
    options.slots = {
        {.gpu = "3", .cpus = {0, 1}}, {.gpu = "", .cpus = {4, 5, 6, 7}}, {.gpu = ""}, {.gpu = "1", .slots_on_gpu = 2}};

    CHECK(device_name(options, SlotId{8}) == "GPU 3 of " + host_name());
    CHECK(device_name(options, SlotId{9}) == "cores 4-7 of " + host_name());
    CHECK(device_name(options, SlotId{10}) == host_name());
    CHECK(device_name(options, SlotId{11}) == "GPU 1 of " + host_name() + ", which 2 slots share");
}

TEST_CASE("NCCL gets the exact name of the interface, not a prefix") {
    WorkerOptions options;
    options.slots.resize(1);
    options.setup.interface = "eth1";

    const auto environment = device_environment(options, SlotId{0});

    CHECK(std::ranges::count(environment, std::pair<std::string, std::string>("GLOO_SOCKET_IFNAME", "eth1")) == 1);
    CHECK(std::ranges::count(environment, std::pair<std::string, std::string>("NCCL_SOCKET_IFNAME", "=eth1")) == 1);
}
