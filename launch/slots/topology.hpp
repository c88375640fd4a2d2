#pragma once

#include <string>
#include <vector>

namespace crescendo::launch {

/// A core that this process may use.
struct Core {
    int numa = 0;           ///< its NUMA node, as the system numbers them
    std::vector<int> cpus;  ///< those of its hardware threads that this process may use, as the system numbers them

    friend bool operator==(const Core&, const Core&) = default;
};

/// The cores of this machine that the cgroup and the affinity mask of this thread allow. Neighbouring cores are next to
/// each other. Never empty.
std::vector<Core> cores_of_this_machine();

/// The cores of an emulated machine that hwloc's description `synthetic` gives, such as "numa:2 core:4 pu:2". `allowed`
/// lists the CPUs that may be used there, such as "0-3,8"; empty: all. Throws std::runtime_error if hwloc does not
/// understand the description.
std::vector<Core> cores_of(const std::string& synthetic, const std::string& allowed = {});

/// CPUs in the system's notation for lists: "0-3,8".
std::string list_text(const std::vector<int>& cpus);

/// Whether two lists of CPUs, each like "0-3,8", have a CPU in common.
bool overlap(const std::string& list, const std::string& other);

}  // namespace crescendo::launch
