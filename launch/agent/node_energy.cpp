#include "launch/agent/node_energy.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "core/files/host_name.hpp"
#include "launch/energy/nvml.hpp"
#include "launch/energy/powercap.hpp"

namespace crescendo::launch {
namespace {

bool can_be_read(const std::unique_ptr<EnergyMeter>& meter) { return meter && meter->joules(); }

std::string variable_or(const char* variable, const char* otherwise) {
    const char* value = std::getenv(variable);
    return value != nullptr ? value : otherwise;
}

}  // namespace

NodeEnergy::NodeEnergy(std::unique_ptr<EnergyMeter> cpus, std::vector<Gpu> gpus)
    : cpus_(can_be_read(cpus) ? std::move(cpus) : nullptr), gpus_(std::move(gpus)) {
    std::erase_if(gpus_, [](const Gpu& gpu) { return !can_be_read(gpu.meter); });
}

NodeEnergy NodeEnergy::of(const WorkerOptions& options) {
    std::vector<Gpu> gpus;
    std::set<std::string> shared;
    std::shared_ptr<Nvml> nvml;
    for (std::size_t i = 0; i < options.slots.size(); ++i) {
        const auto& gpu = options.slots[i].gpu;
        const bool is_shared = options.slots[i].slots_on_gpu > 1;
        if (gpu.empty() || (is_shared && !shared.insert(gpu).second)) {
            continue;
        }
        nvml = nvml ? nvml : Nvml::load(variable_or("CRESCENDO_NVML", "libnvidia-ml.so.1"));
        const SlotId slot{options.first_slot.value + static_cast<int>(i)};
        gpus.push_back({std::make_unique<GpuMeter>(nvml, gpu), is_shared ? std::nullopt : std::optional(slot)});
    }
    return {std::make_unique<Powercap>(variable_or("CRESCENDO_POWERCAP", "/sys/class/powercap")), std::move(gpus)};
}

void NodeEnergy::note_trial(SlotId slot, std::optional<TrialId> trial) {
    const auto gpu = std::ranges::find(gpus_, slot, &Gpu::slot);
    if (gpu != gpus_.end() && gpu->trial != trial) {
        read(*gpu);
        gpu->trial = trial;
    }
}

void NodeEnergy::read(Gpu& gpu) {
    const double now = gpu.meter->joules().value_or(gpu.last);
    (gpu.trial ? used_.trials[*gpu.trial] : used_.idle_gpus) += now - std::exchange(gpu.last, now);
}

EnergyUsed NodeEnergy::used(NodeId node) {
    for (auto& gpu : gpus_) {
        read(gpu);
    }
    used_.node = node;
    used_.host = host_name();
    used_.has_cpus = cpus_ != nullptr;
    used_.has_gpus = !gpus_.empty();
    if (cpus_) {
        const double now = cpus_->joules().value_or(last_cpus_);
        used_.cpus = now - std::exchange(last_cpus_, now);
    }
    told_at_ = std::chrono::steady_clock::now();
    return std::exchange(used_, {});
}

}  // namespace crescendo::launch
