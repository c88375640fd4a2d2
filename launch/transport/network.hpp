#pragma once

#include <filesystem>
#include <string>
#include <vector>

struct ifaddrs;

namespace crescendo::launch {

/// The interface for workers that are all on one machine. Other machines cannot reach it.
inline constexpr const char* loopback = "lo";

/// The network interfaces of this node that Gloo can use: those that are up and have an IPv4 or IPv6 address.
std::vector<std::string> interfaces();

/// The network interfaces that Gloo can use, of a list by getifaddrs(), by name.
std::vector<std::string> interfaces_of(const ifaddrs* list);

/// The network interface of the default route, according to the tables in `folder`; empty if there is none.
std::string interface_of_default_route(const std::filesystem::path& folder = "/proc/net");

/// The network interface of this node with an address of the host name `host`; empty if there is none except loopback.
std::string interface_of_host(const std::string& host);

/// The network interface for reaching other nodes: GLOO_SOCKET_IFNAME, else that of the default route, else that of our
/// host name, as on compute nodes without a default route. Empty if there is none of these.
std::string outward_interface();

/// The network interface over which the workers of groups meet: `chosen` (from --interface; may be empty), else loopback
/// on a single host, else outward_interface().
std::string interface_of_groups(const std::string& chosen, bool several_hosts);

/// Throws InvalidInput if `interface` is empty: workers then have no way to meet those of other nodes.
void require_way_to_other_nodes(const std::string& interface);

/// Throws InvalidInput if interfaces() lacks the interface that groups should use: `chosen` (from --interface; may be
/// empty), or GLOO_SOCKET_IFNAME and NCCL_SOCKET_IFNAME of the environment. The message lists this node's interfaces.
void require_interface(const std::string& chosen);

}  // namespace crescendo::launch
