#include "launch/transport/network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "core/check.hpp"
#include "core/files/host_name.hpp"

namespace crescendo::launch {
namespace {

void require(const std::string& name, const char* source, bool there, const std::vector<std::string>& all) {
    CRESCENDO_VALIDATE(
        there, "",
        "{}: node {} has no network interface '{}' with an address, so its workers could not reach others; it has {}",
        source, host_name(), name, fmt::format("{}", fmt::join(all, ", ")));
}

bool is_same_address(const sockaddr& one, const sockaddr& other) {
    if (one.sa_family != other.sa_family) {
        return false;
    }
    if (one.sa_family == AF_INET) {
        return reinterpret_cast<const sockaddr_in&>(one).sin_addr.s_addr ==
               reinterpret_cast<const sockaddr_in&>(other).sin_addr.s_addr;
    }
    return one.sa_family == AF_INET6 &&
           std::memcmp(&reinterpret_cast<const sockaddr_in6&>(one).sin6_addr,
                       &reinterpret_cast<const sockaddr_in6&>(other).sin6_addr, sizeof(in6_addr)) == 0;
}

}  // namespace

std::vector<std::string> interfaces() {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) {
        return {};
    }
    auto names = interfaces_of(list);
    ::freeifaddrs(list);
    return names;
}

std::vector<std::string> interfaces_of(const ifaddrs* list) {
    std::set<std::string> names;
    for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
        const int family = each->ifa_addr != nullptr ? each->ifa_addr->sa_family : AF_UNSPEC;
        if ((each->ifa_flags & IFF_UP) != 0 && (family == AF_INET || family == AF_INET6)) {
            names.insert(each->ifa_name);
        }
    }
    return {names.begin(), names.end()};
}

std::string interface_of_default_route(const std::filesystem::path& folder) {
    std::ifstream routes(folder / "route");
    const auto skip_line = [&] { routes.ignore(std::numeric_limits<std::streamsize>::max(), '\n'); };
    skip_line();  // the header line
    for (std::string interface, destination; routes >> interface >> destination; skip_line()) {
        if (destination == "00000000" && interface != "*") {  // "*" marks a route that says there is no way
            return interface;
        }
    }
    std::ifstream routes_of_ipv6(folder / "ipv6_route");
    for (std::string line; std::getline(routes_of_ipv6, line);) {
        const bool is_default = line.starts_with(std::string(32, '0') + " 00 ");
        const auto interface = line.substr(line.find_last_of(' ') + 1);
        if (is_default && interface != loopback) {  // a default route through loopback says that there is no way
            return interface;
        }
    }
    return {};
}

std::string interface_of_host(const std::string& host) {
    std::string found;
    addrinfo* addresses = nullptr;
    ifaddrs* list = nullptr;
    if (::getaddrinfo(host.c_str(), nullptr, nullptr, &addresses) != 0) {
        return found;
    }
    if (::getifaddrs(&list) == 0) {
        for (const ifaddrs* each = list; each != nullptr && found.empty(); each = each->ifa_next) {
            const bool is_candidate =
                each->ifa_addr != nullptr && (each->ifa_flags & IFF_UP) != 0 && (each->ifa_flags & IFF_LOOPBACK) == 0;
            for (const addrinfo* address = addresses; is_candidate && address != nullptr; address = address->ai_next) {
                if (is_same_address(*each->ifa_addr, *address->ai_addr)) {
                    found = each->ifa_name;
                }
            }
        }
        ::freeifaddrs(list);
    }
    ::freeaddrinfo(addresses);
    return found;
}

std::string outward_interface() {
    if (const char* gloo = std::getenv("GLOO_SOCKET_IFNAME")) {
        return gloo;
    }
    const auto interface = interface_of_default_route();
    return interface.empty() ? interface_of_host(host_name()) : interface;
}

std::string interface_of_groups(const std::string& chosen, bool several_hosts) {
    return !chosen.empty() ? chosen : several_hosts ? outward_interface() : loopback;
}

void require_way_to_other_nodes(const std::string& interface) {
    auto all = interfaces();
    std::erase(all, loopback);
    CRESCENDO_VALIDATE(!interface.empty(), "",
                       "node {} has no default route, and its name belongs to no network, so its workers might not "
                       "reach others; name the network with --interface; it has {}",
                       host_name(), fmt::format("{}", fmt::join(all, ", ")));
}

void require_interface(const std::string& chosen) {
    const auto all = interfaces();
    const auto exists = [&](const std::string& name) { return std::ranges::find(all, name) != all.end(); };
    if (const char* gloo = std::getenv("GLOO_SOCKET_IFNAME")) {
        require(gloo, "GLOO_SOCKET_IFNAME", exists(gloo), all);
    }
    if (!chosen.empty()) {
        require(chosen, "--interface", exists(chosen), all);
    }
    // NCCL takes a list of prefixes; "^…" excludes and "=…" is exact.
    const std::string nccl = std::getenv("NCCL_SOCKET_IFNAME") != nullptr ? std::getenv("NCCL_SOCKET_IFNAME") : "";
    if (nccl.empty() || nccl.front() == '^') {
        return;
    }
    const bool is_exact = nccl.front() == '=';
    std::istringstream names(is_exact ? nccl.substr(1) : nccl);
    bool any = false;
    for (std::string name; std::getline(names, name, ',');) {
        any = any || (is_exact ? exists(name)
                               : std::ranges::any_of(all, [&](const auto& each) { return each.starts_with(name); }));
    }
    require(nccl, "NCCL_SOCKET_IFNAME", any, all);
}

}  // namespace crescendo::launch
