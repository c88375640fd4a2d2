#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string_view>

namespace crescendo::launch {

/// Where the kernel keeps the limits and counters of a control group.
struct ControlGroup {
    bool is_unified;               ///< cgroup v2, where files have other names
    std::filesystem::path root;    ///< of all groups that are to be seen
    std::filesystem::path folder;  ///< in `root`, or `root` itself
};

/// The group that `groups`, which is as /proc/self/cgroup, names for a controller such as "memory", where the groups
/// are mounted at `mount`. Nothing where the kernel has none.
std::optional<ControlGroup> control_group(std::istream& groups, std::string_view controller,
                                          const std::filesystem::path& mount);

/// That of this process.
std::optional<ControlGroup> own_control_group(std::string_view controller);

}  // namespace crescendo::launch
