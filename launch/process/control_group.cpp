#include "launch/process/control_group.hpp"

#include <fstream>
#include <istream>
#include <string>
#include <system_error>

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

/// The group's folder. A container may see only its own group, at `root`, but by the name that the group has outside.
ControlGroup group_in(bool is_unified, const fs::path& root, const std::string& name) {
    std::error_code none;
    const bool is_shown = !name.empty() && fs::exists(root / name, none);
    return {is_unified, root, is_shown ? root / name : root};
}

}  // namespace

/// /proc/self/cgroup has lines "hierarchy:controllers:path"; v2 is the one without controllers.
std::optional<ControlGroup> control_group(std::istream& groups, std::string_view controller, const fs::path& mount) {
    std::optional<ControlGroup> unified;
    const auto wanted = "," + std::string(controller) + ",";
    for (std::string line; std::getline(groups, line);) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const auto controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        const auto name = line.substr(second + 2);  // without its leading '/'
        if (controllers == ",,") {
            unified = group_in(true, mount, name);
        } else if (controllers.find(wanted) != std::string::npos) {
            return group_in(false, mount / controller, name);
        }
    }
    return unified;
}

std::optional<ControlGroup> own_control_group(std::string_view controller) {
    std::ifstream groups("/proc/self/cgroup");
    return control_group(groups, controller, "/sys/fs/cgroup");
}

}  // namespace crescendo::launch
