#pragma once

#include <string>

namespace crescendo::launch {

/// The network interface of the default route, by which other nodes are reached most likely; empty where there is none.
std::string outward_interface();

}  // namespace crescendo::launch
