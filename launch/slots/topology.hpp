#pragma once

#include <string>
#include <vector>

namespace crescendo::launch {

/// A core that this process may use.
struct Core {
    int numa = 0;           ///< NUMA node of the core, in the system's numbering
    std::vector<int> cpus;  ///< its hardware threads that this process may use, in the system's numbering

    friend bool operator==(const Core&, const Core&) = default;
};

/// The cores of this machine that the cgroup and this thread's affinity mask allow. Neighbouring cores are adjacent in
/// the result, which is never empty.
std::vector<Core> cores_of_this_machine();

/// The cores of an emulated machine. `synthetic` describes it for hwloc, as in "numa:2 core:4 pu:2". `allowed` lists
/// the CPUs that may be used, as in "0-3,8"; empty: all. Throws std::runtime_error if hwloc does not understand the
/// description.
std::vector<Core> cores_of(const std::string& synthetic, const std::string& allowed = {});

/// A list of CPUs in the system's notation: "0-3,8".
std::string list_text(const std::vector<int>& cpus);

/// Whether two lists of CPUs, each like "0-3,8", have a CPU in common.
bool overlap(const std::string& list, const std::string& other);

}  // namespace crescendo::launch
