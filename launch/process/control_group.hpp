#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string_view>

namespace crescendo::launch {

/// Where the kernel shows the limits and counters of a control group.
struct ControlGroup {
    bool is_unified;               ///< cgroup v2, which has other file names
    std::filesystem::path root;    ///< folder of the top group that is visible
    std::filesystem::path folder;  ///< folder of this group: below `root`, or `root` itself
};

/// The group of a controller such as "memory". `groups` has the format of /proc/self/cgroup, and the groups are mounted
/// at `mount`. Returns nothing if the kernel has no such group.
std::optional<ControlGroup> control_group(std::istream& groups, std::string_view controller,
                                          const std::filesystem::path& mount);

/// The control group of this process.
std::optional<ControlGroup> own_control_group(std::string_view controller);

}  // namespace crescendo::launch
