#include "launch/agent/worker_options.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "core/files/host_name.hpp"
#include "core/trial_protocol.hpp"
#include "launch/slots/gpus.hpp"
#include "launch/slots/topology.hpp"

namespace crescendo::launch {

const SlotResources& resources_of(const WorkerOptions& options, SlotId slot) {
    return options.slots.at(static_cast<std::size_t>(slot.value - options.first_slot.value));
}

std::string device_name(const WorkerOptions& options, SlotId slot) {
    const auto& resources = resources_of(options, slot);
    if (!resources.gpu.empty()) {
        const auto shared = fmt::format(", which {} slots share", resources.slots_on_gpu);
        return fmt::format("GPU {} of {}{}", resources.gpu, host_name(), resources.slots_on_gpu > 1 ? shared : "");
    }
    return resources.cpus.empty() ? host_name() : fmt::format("cores {} of {}", list_text(resources.cpus), host_name());
}

std::vector<std::pair<std::string, std::string>> device_environment(const WorkerOptions& options, SlotId slot) {
    const auto& resources = resources_of(options, slot);
    std::vector<std::pair<std::string, std::string>> result{{"OMP_NUM_THREADS", std::to_string(resources.threads)}};
    if (!resources.gpu.empty()) {
        choose_gpu(resources.gpu, result);
    }
    if (resources.slots_on_gpu > 1) {
        result.emplace_back(protocol::gpu_share_variable, std::to_string(resources.slots_on_gpu));
    }
    const auto& interface = options.setup.interface;
    // NCCL takes the name as a prefix, so that eth1 would match eth10 too; "=" makes it exact.
    for (const auto& [variable, value] :
         {std::pair("GLOO_SOCKET_IFNAME", interface), std::pair("NCCL_SOCKET_IFNAME", "=" + interface)}) {
        if (!interface.empty() && std::getenv(variable) == nullptr) {
            result.emplace_back(variable, value);
        }
    }
    return result;
}

void unbuffer_python(std::vector<std::pair<std::string, std::string>>& environment) {
    if (std::getenv("PYTHONUNBUFFERED") == nullptr) {
        environment.emplace_back("PYTHONUNBUFFERED", "1");
    }
}

}  // namespace crescendo::launch
