#include "launch/process/oom_kills.hpp"

#include <fstream>
#include <string>

#include "launch/process/control_group.hpp"

namespace crescendo::launch {
namespace {

std::filesystem::path counter_of_this_process() {
    const auto group = own_control_group("memory");
    return group ? group->folder / (group->is_unified ? "memory.events" : "memory.oom_control") : "";
}

}  // namespace

OomKills::OomKills() : OomKills(counter_of_this_process()) {}

OomKills::OomKills(std::filesystem::path counter) : counter_(std::move(counter)), taken_(count()) {}

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
