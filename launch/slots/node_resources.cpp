#include "launch/slots/node_resources.hpp"

#include <unistd.h>

#include <algorithm>

#include "launch/batch/batch_system.hpp"

namespace crescendo::launch {

std::string host_name() {
    char name[256] = "";
    ::gethostname(name, sizeof name - 1);
    return name;
}

NodeResources NodeResources::detect() {
    return {find_gpus(), cores_of_this_machine(), batch_system()->own_job().has_value()};
}

std::vector<int> NodeResources::cpus() const {
    std::vector<int> result;
    for (const auto& core : cores) {
        result.insert(result.end(), core.cpus.begin(), core.cpus.end());
    }
    std::ranges::sort(result);
    return result;
}

}  // namespace crescendo::launch
