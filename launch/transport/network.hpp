#pragma once

#include <string>
#include <vector>

namespace crescendo::launch {

/// By which workers of one machine meet: nobody else reaches them there.
inline constexpr const char* loopback = "lo";

/// The network interfaces of this node that are up.
std::vector<std::string> interfaces();

/// The network interface of the default route, by which other nodes are reached most likely; empty where there is none.
std::string outward_interface();

/// Throws InvalidInput that lists what there is, where this node lacks the interface that groups are to meet by:
/// `chosen` (by --interface; empty: nothing was) or the environment's GLOO_SOCKET_IFNAME, NCCL_SOCKET_IFNAME.
void require_interface(const std::string& chosen);

}  // namespace crescendo::launch
