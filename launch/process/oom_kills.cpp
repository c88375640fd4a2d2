#include "launch/process/oom_kills.hpp"

#include <fstream>
#include <string>

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

/// /proc/self/cgroup has lines "hierarchy:controllers:path"; v2 is the one without controllers.
fs::path counter_of_this_process() {
    std::ifstream groups("/proc/self/cgroup");
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
            counter = fs::path("/sys/fs/cgroup") / path / "memory.events";
        } else if (controllers.find(",memory,") != std::string::npos) {
            return fs::path("/sys/fs/cgroup/memory") / path / "memory.oom_control";
        }
    }
    return counter;
}

}  // namespace

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
