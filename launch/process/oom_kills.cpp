#include "launch/process/oom_kills.hpp"

#include <fstream>
#include <istream>
#include <string>
#include <system_error>

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

/// The group's counter. A container may be shown its own group alone, by the name that the group has outside.
fs::path counter_in(const fs::path& mount, const std::string& group, const char* file) {
    std::error_code none;
    const auto counter = mount / group / file;
    return fs::exists(counter, none) ? counter : mount / file;
}

fs::path counter_of_this_process() {
    std::ifstream groups("/proc/self/cgroup");
    return oom_counter(groups, "/sys/fs/cgroup");
}

}  // namespace

/// /proc/self/cgroup has lines "hierarchy:controllers:path"; v2 is the one without controllers.
fs::path oom_counter(std::istream& groups, const fs::path& mount) {
    fs::path counter;
    for (std::string line; std::getline(groups, line);) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const auto controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        const auto path = line.substr(second + 2);  // without its first '/'
        if (controllers == ",,") {
            counter = counter_in(mount, path, "memory.events");
        } else if (controllers.find(",memory,") != std::string::npos) {
            return counter_in(mount / "memory", path, "memory.oom_control");
        }
    }
    return counter;
}

OomKills::OomKills() : OomKills(counter_of_this_process()) {}

OomKills::OomKills(fs::path counter) : counter_(std::move(counter)), taken_(count()) {}

bool OomKills::take() {
    if (count() <= taken_) {
        return false;
    }
    ++taken_;
    return true;
}

std::int64_t OomKills::count() const {
    std::ifstream file(counter_);
    std::string name;
    std::int64_t value = 0;
    while (file >> name >> value) {
        if (name == "oom_kill") {
            return value;
        }
    }
    return 0;
}

}  // namespace crescendo::launch
