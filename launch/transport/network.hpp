#pragma once

#include <string>
#include <vector>

namespace crescendo::launch {

/// The interface that workers on one machine use among themselves. No other machine can reach it.
inline constexpr const char* loopback = "lo";

/// The network interfaces of this node that are up.
std::vector<std::string> interfaces();

/// The network interface of the default route, which most likely reaches other nodes; empty if there is none.
std::string outward_interface();

/// Throws InvalidInput if this node lacks the interface that groups are to use: `chosen` (from --interface; may be
/// empty), or GLOO_SOCKET_IFNAME and NCCL_SOCKET_IFNAME of the environment. The message lists the interfaces of this
/// node.
void require_interface(const std::string& chosen);

}  // namespace crescendo::launch
