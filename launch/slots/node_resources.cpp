#include "launch/slots/node_resources.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "launch/batch/batch_system.hpp"

namespace crescendo::launch {

std::string binding_of_launcher() {
    const auto num_cpus_of = [](pid_t process) {
        cpu_set_t cpus;
        return ::sched_getaffinity(process, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 0;
    };
    const int ours = num_cpus_of(0);
    const int of_launcher = num_cpus_of(::getppid());
    if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr || of_launcher <= ours) {
        return {};
    }
    return fmt::format("the launcher keeps this process on {} of {} CPUs, so the node has few slots", ours,
                       of_launcher);
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
