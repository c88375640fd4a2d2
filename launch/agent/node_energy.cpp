#include "launch/agent/node_energy.hpp"

#include <cstdlib>
#include <utility>

#include "launch/energy/nvml.hpp"
#include "launch/energy/powercap.hpp"
#include "launch/slots/node_resources.hpp"

namespace crescendo::launch {
namespace {

/// Nothing instead of a meter that cannot be read.
std::unique_ptr<EnergyMeter> if_readable(std::unique_ptr<EnergyMeter> meter) {
    return meter && meter->joules() ? std::move(meter) : nullptr;
}

std::string variable_or(const char* variable, const char* otherwise) {
    const char* value = std::getenv(variable);
    return value != nullptr ? value : otherwise;
}

}  // namespace

NodeEnergy::NodeEnergy(std::unique_ptr<EnergyMeter> cpus, std::map<SlotId, std::unique_ptr<EnergyMeter>> gpus)
    : cpus_(if_readable(std::move(cpus))) {
    for (auto& [slot, meter] : gpus) {
        if (auto readable = if_readable(std::move(meter))) {
            gpus_.emplace(slot, Gpu{std::move(readable)});
        }
    }
}

NodeEnergy NodeEnergy::of(const WorkerOptions& options) {
    std::map<SlotId, std::unique_ptr<EnergyMeter>> gpus;
    std::shared_ptr<Nvml> nvml;
    for (std::size_t i = 0; i < options.slots.size(); ++i) {
        if (const auto& gpu = options.slots[i].gpu; !gpu.empty()) {
            nvml = nvml ? nvml : Nvml::load(variable_or("CRESCENDO_NVML", "libnvidia-ml.so.1"));
            gpus.emplace(SlotId{options.first_slot.value + static_cast<int>(i)},
                         std::make_unique<GpuMeter>(nvml, gpu));
        }
    }
    return {std::make_unique<Powercap>(variable_or("CRESCENDO_POWERCAP", "/sys/class/powercap")), std::move(gpus)};
}

void NodeEnergy::note_trial(SlotId slot, std::optional<TrialId> trial) {
    const auto found = gpus_.find(slot);
    if (found != gpus_.end() && found->second.trial != trial) {
        read(found->second);
        found->second.trial = trial;
    }
}

void NodeEnergy::read(Gpu& gpu) {
    const double now = gpu.meter->joules().value_or(gpu.last);
    (gpu.trial ? used_.trials[*gpu.trial] : used_.idle_gpus) += now - std::exchange(gpu.last, now);
}

EnergyUsed NodeEnergy::used(NodeId node) {
    for (auto& [slot, gpu] : gpus_) {
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
