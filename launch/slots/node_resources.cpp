#include "launch/slots/node_resources.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "launch/batch/batch_system.hpp"

namespace crescendo::launch {
namespace {

/// The limit of the group in this folder, without its ancestors: "200000 100000" or "max 100000" (cgroup v2), or two
/// files (v1); quota and period in microseconds.
std::optional<double> limit_in(const std::filesystem::path& folder, bool is_unified) {
    double quota = 0, period = 0;
    if (is_unified) {
        std::ifstream(folder / "cpu.max") >> quota >> period;
    } else {
        std::ifstream(folder / "cpu.cfs_quota_us") >> quota;  // -1 means no limit
        std::ifstream(folder / "cpu.cfs_period_us") >> period;
    }
    return quota > 0 && period > 0 ? std::optional(quota / period) : std::nullopt;
}

}  // namespace

std::optional<double> cpu_limit(const ControlGroup& group) {
    auto folder = group.folder;
    auto least = limit_in(folder, group.is_unified);
    while (folder != group.root) {
        folder = folder.parent_path();
        if (const auto limit = limit_in(folder, group.is_unified); limit && (!least || *limit < *least)) {
            least = limit;
        }
    }
    return least;
}

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
    return fmt::format("the launcher restricts this process to {} of {} CPUs, so the node has few slots", ours,
                       of_launcher);
}

NodeResources NodeResources::detect() {
    const auto group = own_control_group("cpu");
    return {find_gpus(), cores_of_this_machine(), batch_system()->own_job().has_value(),
            group ? cpu_limit(*group) : std::nullopt};
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
