#include "launch/node_resources.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace crescendo::launch {
namespace {

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> result;
    std::istringstream items(list);
    for (std::string item; std::getline(items, item, ',');) {
        result.push_back(item);
    }
    return result;
}

/// The driver's device files, /dev/nvidia0 and so on: there is no need for CUDA to count them.
std::vector<std::string> nvidia_devices() {
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator("/dev")) {
        const auto name = entry.path().filename().string();
        if (name.starts_with("nvidia") && name.size() > 6 &&
            std::all_of(name.begin() + 6, name.end(), [](unsigned char c) { return std::isdigit(c); })) {
            result.push_back(name.substr(6));
        }
    }
    std::sort(result.begin(), result.end());
    return result;
}

}  // namespace

std::string host_name() {
    char name[256] = "";
    ::gethostname(name, sizeof name - 1);
    return name;
}

NodeResources NodeResources::detect() {
    NodeResources node;
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    node.gpus = visible != nullptr ? split(visible) : nvidia_devices();
    cpu_set_t allowed;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        node.cores = CPU_COUNT(&allowed);
    }
    return node;
}

SlotPlan SlotPlan::make(const NodeResources& node, std::optional<int> slots, int cpus_per_slot) {
    SlotPlan plan;
    plan.gpus = node.gpus;
    const int natural =
        node.gpus.empty() ? std::max(1, node.cores / cpus_per_slot) : static_cast<int>(node.gpus.size());
    plan.num_slots = slots.value_or(natural);
    const int share = std::max(1, node.cores / plan.num_slots);
    plan.threads = node.gpus.empty() ? std::min(cpus_per_slot, share) : share;
    return plan;
}

}  // namespace crescendo::launch
