#pragma once

#include <string>
#include <vector>

namespace crescendo::launch {

/// A core that this process may use.
struct Core {
    int numa = 0;           ///< its NUMA node, as the system numbers them
    std::vector<int> cpus;  ///< its hardware threads that we may use, as the system numbers them

    friend bool operator==(const Core&, const Core&) = default;
};

/// The cores of this machine that the cgroup and the affinity mask of this thread leave us, neighbours beside each
/// other. Never empty.
std::vector<Core> cores_of_this_machine();

/// The same of an emulated machine, as hwloc describes them: "numa:2 core:4 pu:2". `allowed`: the CPUs that we may
/// use there, "0-3,8"; empty: all. Throws std::runtime_error for a description that hwloc does not understand.
std::vector<Core> cores_of(const std::string& synthetic, const std::string& allowed = {});

/// CPUs as the system lists them: "0-3,8".
std::string list_text(const std::vector<int>& cpus);

/// Whether two such lists have a CPU in common.
bool overlap(const std::string& list, const std::string& other);

}  // namespace crescendo::launch
