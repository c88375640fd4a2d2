#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace crescendo::launch {

/// The interface that workers on one machine use among themselves. No other machine can reach it.
inline constexpr const char* loopback = "lo";

/// The network interfaces of this node that are up.
std::vector<std::string> interfaces();

/// The network interface of the default route, by the tables in `folder`; empty if there is none.
std::string interface_of_default_route(const std::filesystem::path& folder = "/proc/net");

/// The network interface of this node that has an address of this name; empty if there is none but loopback.
std::string interface_of_host(const std::string& host);

/// The network interface by which to reach other nodes: GLOO_SOCKET_IFNAME, or else that of the default route, or else
/// of our host's name, as on compute nodes without a default route. Empty if there is none of these.
std::string outward_interface();

/// Throws InvalidInput if no interface was found by which workers could meet those of other nodes.
void require_way_to_other_nodes(const std::string& interface);

/// Throws InvalidInput if this node lacks the interface that groups are to use: `chosen` (from --interface; may be
/// empty), or GLOO_SOCKET_IFNAME and NCCL_SOCKET_IFNAME of the environment. The message lists the interfaces of this
/// node.
void require_interface(const std::string& chosen);

}  // namespace crescendo::launch
