#include "launch/transport/network.hpp"

#include <doctest/doctest.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>

#include <fstream>

#include "core/check.hpp"
#include "launch/system/tcp_port.hpp"
#include "tests/temporary_folder.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using crescendo::tests::TemporaryFolder;

namespace {

const std::string nowhere(32, '0');

/// Routing tables as in /proc/net, with these lines below the headings.
struct Routes {
    Routes(const std::string& ipv4, const std::string& ipv6) {
        std::ofstream(folder / "route") << "Iface\tDestination\tGateway\n" << ipv4;
        std::ofstream(folder / "ipv6_route") << ipv6;
    }

    std::string interface() const { return interface_of_default_route(folder.path()); }

    TemporaryFolder folder;
};

}  // namespace

TEST_CASE("the default route of IPv4 takes precedence over the one of IPv6") {
    const std::string local = "eth0\t000200C0\t00000000\n";
    const auto reject =
        nowhere + " 00 " + nowhere + " 00 " + nowhere + " ffffffff 00000001 00000000 00200200       lo\n";
    const auto ipv6 = nowhere + " 00 " + nowhere + " 00 " + nowhere + " 00000400 00000003 00000000 00000003     ib0\n";

    CHECK(Routes(local + "eth1\t00000000\t010200C0\n", ipv6).interface() == "eth1");
    CHECK(Routes(local, reject + ipv6).interface() == "ib0");
    CHECK(Routes(local, reject).interface().empty());
    CHECK(Routes("*\t00000000\t00000000\n" + local, ipv6).interface() == "ib0");  // an unreachable default
}

TEST_CASE("the network that the user names for Gloo leads to other nodes, whatever the default route is") {
    ::setenv("GLOO_SOCKET_IFNAME", "ib0", 1);
    CHECK(outward_interface() == "ib0");
    ::unsetenv("GLOO_SOCKET_IFNAME");
}

TEST_CASE("a host belongs to the network interface that has its address, but a loopback host belongs to none") {
    CHECK(interface_of_host("127.0.0.1").empty());
    CHECK(interface_of_host("::1").empty());
    CHECK(interface_of_host("no.such.host.invalid").empty());

    for (const auto& each : interfaces()) {
        if (const auto address = address_of(each); address != "127.0.0.1" && !address.starts_with("fe80")) {
            CHECK(address_of(interface_of_host(address)) == address);
        }
    }
}

TEST_CASE("workers on several nodes require a network") {
    CHECK_NOTHROW(require_way_to_other_nodes("ib0"));
    CHECK_THROWS_WITH_AS(require_way_to_other_nodes(""),
                         doctest::Contains("name the network with --interface; it has "), InvalidInput);
}

TEST_CASE("workers cannot meet on an interface that is down or has no internet address") {
    char lo[] = "lo", eth[] = "eth0", ib[] = "ib0", ib6[] = "ib1", tunnel[] = "tun0";
    sockaddr ethernet{AF_PACKET, {}}, ipv4{AF_INET, {}}, ipv6{AF_INET6, {}};
    const auto entry = [](ifaddrs* next, char* name, unsigned flags, sockaddr* address) {
        return ifaddrs{next, name, flags, address, nullptr, {nullptr}, nullptr};
    };

    auto last = entry(nullptr, tunnel, IFF_UP, nullptr);
    auto up_with_ipv6 = entry(&last, ib6, IFF_UP, &ipv6);
    auto without_address = entry(&up_with_ipv6, ib, IFF_UP, &ethernet);
    auto down = entry(&without_address, eth, 0, &ipv4);
    const auto first = entry(&down, lo, IFF_UP | IFF_LOOPBACK, &ipv4);

    CHECK(interfaces_of(&first) == std::vector<std::string>{"ib1", "lo"});
    CHECK(interfaces_of(nullptr).empty());
}
